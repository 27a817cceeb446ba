import type { ArtifactRef, CallSite, Truncation } from "@toolwright/engine";
import type { RedactStream } from "@toolwright/engine/ports";
import { CleanText } from "./clean-text.ts";
import { type HeadAndTail, HeadTail } from "./head-tail.ts";
import { OutputSpool, type SpooledOutput } from "./output-spool.ts";

export interface CaptureLimits {
  /** Bytes of each stream that the result holds. */
  readonly maxOutputBytes: number;
  /** Bytes of each stream that its artifact holds. */
  readonly maxArtifactBytes: number;
}

export interface CapturedOutput {
  readonly text: string;
  readonly truncation?: Truncation;
  readonly artifact?: ArtifactRef;
}

type Stream = "stdout" | "stderr";

/** One output stream of one run: shown live up to the limit, its two ends kept in memory, the whole in an artifact once it is too long. */
export class OutputCapture {
  readonly #stream: Stream;
  readonly #site: CallSite;
  readonly #limits: CaptureLimits;
  readonly #clean = new CleanText();
  /** Before anything is cut: the gate cannot recognise a part of a secret. */
  readonly #redacting: RedactStream;
  readonly #kept: HeadTail;
  #spool: OutputSpool | undefined;
  #shown = 0;

  constructor(stream: Stream, site: CallSite, limits: CaptureLimits) {
    this.#stream = stream;
    this.#site = site;
    this.#limits = limits;
    this.#redacting = site.redactStream();
    this.#kept = new HeadTail(limits.maxOutputBytes);
  }

  push(chunk: Uint8Array): void {
    this.#take(this.#redacting.push(this.#clean.push(chunk)));
  }

  async finish(): Promise<CapturedOutput> {
    this.#take(this.#redacting.push(this.#clean.end()) + this.#redacting.flush());
    const ends = this.#kept.ends();
    const spooled = await this.#spool?.finish();
    if (ends.missing === 0 || !spooled) return { text: ends.head + ends.tail };
    const whole = spooled.cut ? undefined : spooled.artifact?.id;
    const truncation: Truncation = { path: `/${this.#stream}`, unit: "bytes", total: ends.total, kept: ends.total - ends.missing };
    return {
      text: `${ends.head}\n${describeGap(ends, spooled)}\n${ends.tail}`,
      truncation: whole === undefined ? truncation : { ...truncation, artifact: whole },
      ...(spooled.artifact && { artifact: spooled.artifact }),
    };
  }

  /** Lets go of a run that somebody else reads from now on. What is held back stays unsaid: it may be the beginning of a secret. */
  async drop(): Promise<void> {
    await this.#spool?.drop();
  }

  #take(text: string): void {
    const bytes = Buffer.from(text);
    this.#show(text, bytes.length);
    if (bytes.length === 0) return;
    if (!this.#spool && this.#kept.total + bytes.length > this.#limits.maxOutputBytes) {
      this.#spool = this.#openSpool();
      this.#spool.push(this.#kept.bytes());
    }
    this.#spool?.push(bytes);
    this.#kept.push(bytes);
  }

  #show(text: string, bytes: number): void {
    const room = this.#limits.maxOutputBytes - this.#shown;
    this.#shown += bytes;
    if (bytes === 0 || room < 0) this.#site.alive();
    else if (bytes <= room) this.#site.output(this.#stream, text);
    else this.#site.output(this.#stream, `${text.slice(0, room).toWellFormed()}\n[more output follows; it is not shown live]\n`);
  }

  #openSpool(): OutputSpool {
    const { callId, session, principal, artifacts } = this.#site;
    const meta = { name: `${this.#stream}.txt`, mediaType: "text/plain; charset=utf-8" };
    return new OutputSpool(() => artifacts.create({ tenant: principal.tenant, session, callId }, meta), {
      maxBytes: this.#limits.maxArtifactBytes,
    });
  }
}

function describeGap({ missing, total }: HeadAndTail, { artifact, cut, problem }: SpooledOutput): string {
  const gap = `${missing} of ${total} bytes are missing here`;
  if (!artifact) return `[${gap}; they could not be kept${problem === undefined ? "" : `: ${problem}`}]`;
  if (cut) return `[${gap}; artifact ${artifact.id} holds only the first ${artifact.size} bytes of the output]`;
  return `[${gap}; artifact ${artifact.id} holds the whole output]`;
}
