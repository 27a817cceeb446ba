import type { ArtifactRef, CallSite, Truncation } from "@toolwright/engine";
import type { Clock, RedactStream } from "@toolwright/engine/ports";
import { OutputSpool, type SpooledOutput } from "./output-spool.ts";
import { brokenEnd, brokenStart } from "./text-cut.ts";

interface CaptureLimits {
  /** Bytes of each stream that the result holds. */
  readonly maxOutputBytes: number;
  /** Bytes of each stream that its artifact holds. */
  readonly maxArtifactBytes: number;
}

interface CapturedOutput {
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

const firstAllocation = 4096;

/** Keeps the last `capacity` bytes of a stream and counts all of them. Memory grows with what was written, up to the capacity. */
export class ByteRing {
  readonly #capacity: number;
  #bytes = Buffer.alloc(0);
  #total = 0;

  constructor(capacity: number) {
    this.#capacity = Math.max(0, Math.trunc(capacity));
  }

  /** Bytes ever written. */
  get total(): number {
    return this.#total;
  }

  /** Position of the oldest byte that is still held. */
  get start(): number {
    return Math.max(0, this.#total - this.#capacity);
  }

  push(chunk: Uint8Array): void {
    const kept = chunk.length > this.#capacity ? chunk.subarray(chunk.length - this.#capacity) : chunk;
    this.#total += chunk.length - kept.length;
    this.#grow(Math.min(this.#capacity, this.#total + kept.length));
    if (kept.length === 0) return;
    const at = this.#total % this.#capacity;
    const untilEnd = Math.min(kept.length, this.#capacity - at);
    this.#bytes.set(kept.subarray(0, untilEnd), at);
    this.#bytes.set(kept.subarray(untilEnd), 0);
    this.#total += kept.length;
  }

  /** A copy of the held bytes from `from` up to `to`, both positions in the whole stream. */
  slice(from: number, to: number): Buffer {
    const first = Math.min(Math.max(from, this.start), this.#total);
    const length = Math.max(0, Math.min(to, this.#total) - first);
    if (length === 0) return Buffer.alloc(0);
    const at = first % this.#capacity;
    const beforeWrap = this.#bytes.subarray(at, Math.min(at + length, this.#capacity));
    return Buffer.concat([beforeWrap, this.#bytes.subarray(0, length - beforeWrap.length)]);
  }

  #grow(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.min(this.#capacity, Math.max(needed, 2 * this.#bytes.length, firstAllocation)));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** The two ends of a text; `missing` bytes lay between them. */
interface HeadAndTail {
  readonly head: string;
  readonly tail: string;
  readonly total: number;
  readonly missing: number;
}

/** Keeps the first and the last half of a limit of UTF-8, whatever the length of the whole. */
export class HeadTail {
  readonly #headLimit: number;
  readonly #head: ByteRing;
  readonly #tail: ByteRing;

  constructor(maxBytes: number) {
    this.#headLimit = Math.ceil(maxBytes / 2);
    this.#head = new ByteRing(this.#headLimit);
    this.#tail = new ByteRing(Math.floor(maxBytes / 2));
  }

  get total(): number {
    return this.#head.total + this.#tail.total;
  }

  push(chunk: Uint8Array): void {
    const room = this.#headLimit - this.#head.total;
    if (room > 0) this.#head.push(chunk.subarray(0, room));
    if (chunk.length > room) this.#tail.push(chunk.subarray(Math.max(0, room)));
  }

  /** Everything that is held, without a word about a cut: right only while nothing is missing. */
  bytes(): Buffer {
    return Buffer.concat([this.#head.slice(0, this.#head.total), this.#tail.slice(0, this.#tail.total)]);
  }

  /** Cuts fall between characters. */
  ends(): HeadAndTail {
    const total = this.total;
    if (this.#tail.start === 0) return { head: this.bytes().toString("utf8"), tail: "", total, missing: 0 };
    const head = this.#head.slice(0, this.#head.total);
    const tail = this.#tail.slice(0, this.#tail.total);
    const wholeHead = head.subarray(0, head.length - brokenEnd(head));
    const wholeTail = tail.subarray(brokenStart(tail));
    const missing = total - wholeHead.length - wholeTail.length;
    return { head: wholeHead.toString("utf8"), tail: wholeTail.toString("utf8"), total, missing };
  }
}

/** The inside of a control string (OSC, DCS, ...): it ends with any control, so at the latest with its line. */
const payload = String.raw`[^\x00-\x08\x0a-\x1f\x7f-\x9f]*`;
const controlString = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])${payload}`;
const controlSequence = String.raw`(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}`;
const shortEscape = String.raw`\x1b[ -/]{0,8}`;
const anyControl = String.raw`[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]`;

/** ECMA-48 sequences in their 7-bit and 8-bit forms. What ends a control string (BEL, ST) is itself a control or a short escape. */
const escapes = new RegExp(`${controlString}|${controlSequence}[@-~]?|${shortEscape}[0-~]?|${anyControl}|\\r(?!\\n)`, "g");
const openString = new RegExp(`(?:${controlString})$`);
const openSequence = new RegExp(`(?:${controlSequence}|${shortEscape}|\\r)$`);
const leadingPayload = new RegExp(`^${payload}`);
const suspect = new RegExp(`${anyControl}|\\r`);

/**
 * Turns the bytes of a terminal stream into text without terminal escapes or controls (R-EX-11). Tabs and line ends stay; a lone
 * carriage return becomes a line end, so that no text overwrites another. The result does not depend on how the stream is chunked.
 */
export class CleanText {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #insideString = false;
  #carry = "";

  push(chunk: Uint8Array): string {
    return this.#clean(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): string {
    return this.#clean(this.#decoder.decode()) + strip(this.#carry);
  }

  #clean(decoded: string): string {
    let text = this.#carry + decoded;
    this.#carry = "";
    if (this.#insideString) {
      text = text.slice(leadingPayload.exec(text)![0].length);
      this.#insideString = text === "";
    }
    if (!suspect.test(text)) return text;
    this.#insideString = openString.test(text);
    const open = this.#insideString ? null : openSequence.exec(text);
    if (!open) return strip(text);
    this.#carry = text.slice(open.index);
    return strip(text.slice(0, open.index));
  }
}

function strip(text: string): string {
  return text.replace(escapes, (found) => (found === "\r" ? "\n" : ""));
}

interface BufferedText {
  readonly text: string;
  /** Position after the text. */
  readonly cursor: number;
  /** Bytes between the asked position and the text. */
  readonly missed: number;
}

/** The last output of a background process, both streams in the order they came, for readers that come with a cursor. */
export class OutputBuffer {
  readonly #ring: ByteRing;
  readonly #streams: Record<"stdout" | "stderr", { readonly clean: CleanText; readonly redacting: RedactStream }>;
  readonly #waiting = new Set<() => void>();
  #ended = false;

  /** `redactStream` knows the secrets of the call that started the process, also after its end. */
  constructor(capacityBytes: number, redactStream: () => RedactStream) {
    this.#ring = new ByteRing(capacityBytes);
    const open = () => ({ clean: new CleanText(), redacting: redactStream() });
    this.#streams = { stdout: open(), stderr: open() };
  }

  push(stream: "stdout" | "stderr", chunk: Uint8Array): void {
    const { clean, redacting } = this.#streams[stream];
    this.#append(redacting.push(clean.push(chunk)));
  }

  end(): void {
    for (const { clean, redacting } of Object.values(this.#streams)) this.#append(redacting.push(clean.end()) + redacting.flush());
    this.#ended = true;
    this.#wake();
  }

  read(cursor: number, maxBytes: number): BufferedText {
    const asked = Math.min(Math.max(0, Math.trunc(cursor)), this.#ring.total);
    const from = Math.max(asked, this.#ring.start);
    const held = this.#ring.slice(from, from + Math.max(4, maxBytes));
    const skipped = brokenStart(held);
    const bytes = held.subarray(skipped, held.length - brokenEnd(held));
    return { text: bytes.toString("utf8"), cursor: from + skipped + bytes.length, missed: from + skipped - asked };
  }

  /** Resolves when there is something after the cursor, at the end of the output, after `waitMs`, or on abort. */
  async waitFor(cursor: number, wait: { readonly waitMs: number; readonly clock: Clock; readonly signal: AbortSignal }): Promise<void> {
    if (this.#ended || this.#ring.total > cursor || wait.waitMs <= 0 || wait.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    wait.signal.addEventListener("abort", () => resolve(), { once: true });
    const stopTimer = wait.clock.after(wait.waitMs, resolve);
    await promise;
    stopTimer();
    this.#waiting.delete(resolve);
  }

  #append(text: string): void {
    if (text === "") return;
    this.#ring.push(Buffer.from(text));
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
  }
}
