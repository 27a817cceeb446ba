import type { Clock, RedactStream } from "@toolwright/engine/ports";
import { ByteRing } from "./byte-ring.ts";
import { CleanText } from "./clean-text.ts";
import { brokenEnd, brokenStart } from "./text-cut.ts";

export interface BufferedText {
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
