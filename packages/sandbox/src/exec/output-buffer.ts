import type { Clock } from "@toolwright/engine";
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
  readonly #cleaners = { stdout: new CleanText(), stderr: new CleanText() };
  readonly #waiting = new Set<() => void>();
  #ended = false;

  constructor(capacityBytes: number) {
    this.#ring = new ByteRing(capacityBytes);
  }

  push(stream: "stdout" | "stderr", chunk: Uint8Array): void {
    this.#append(this.#cleaners[stream].push(chunk));
  }

  end(): void {
    this.#append(this.#cleaners.stdout.end());
    this.#append(this.#cleaners.stderr.end());
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
