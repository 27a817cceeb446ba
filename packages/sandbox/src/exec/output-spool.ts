import type { ArtifactRef, ArtifactWriter } from "@toolwright/engine";
import { brokenEnd } from "./text-cut.ts";

export interface SpoolLimits {
  /** Bytes that the artifact may hold. */
  readonly maxBytes: number;
  /** Bytes that may wait in memory for a disk that is slower than the process. */
  readonly maxPendingBytes: number;
}

export interface SpooledOutput {
  /** Absent when it could not be kept. */
  readonly artifact?: ArtifactRef;
  /** True when the artifact holds only the beginning. */
  readonly cut: boolean;
}

/** Writes a stream into an artifact behind the back of whoever produces it: memory and disk are bounded, and a full disk is no failure of the run. */
export class OutputSpool {
  readonly #open: () => Promise<ArtifactWriter>;
  readonly #limits: SpoolLimits;
  #queue: Uint8Array[] = [];
  #pending = 0;
  #accepted = 0;
  #cut = false;
  #failed = false;
  #writing = false;
  #written: Promise<void> = Promise.resolve();
  #writer: ArtifactWriter | undefined;

  constructor(open: () => Promise<ArtifactWriter>, limits: SpoolLimits) {
    this.#open = open;
    this.#limits = limits;
  }

  push(chunk: Uint8Array): void {
    if (this.#cut || this.#failed) return;
    const kept = this.#fit(chunk);
    this.#queue.push(kept);
    this.#accepted += kept.length;
    this.#pending += kept.length;
    if (this.#writing) return;
    this.#writing = true;
    this.#written = this.#drain();
  }

  async finish(): Promise<SpooledOutput> {
    await this.#written;
    if (this.#failed || !this.#writer) return { cut: false };
    try {
      return { artifact: await this.#writer.finish(), cut: this.#cut };
    } catch {
      await this.#discard();
      return { cut: false };
    }
  }

  #fit(chunk: Uint8Array): Uint8Array {
    const room = Math.min(this.#limits.maxBytes - this.#accepted, this.#limits.maxPendingBytes - this.#pending);
    if (chunk.length <= room) return chunk;
    this.#cut = true;
    const beginning = chunk.subarray(0, Math.max(0, room));
    return beginning.subarray(0, beginning.length - brokenEnd(beginning));
  }

  async #drain(): Promise<void> {
    try {
      this.#writer ??= await this.#open();
      while (this.#queue.length > 0) {
        const batch = Buffer.concat(this.#queue);
        this.#queue = [];
        await this.#writer.write(batch);
        this.#pending -= batch.length;
      }
    } catch {
      this.#failed = true;
      this.#queue = [];
      await this.#discard();
    }
    this.#writing = false;
  }

  async #discard(): Promise<void> {
    await this.#writer?.discard().catch(() => {});
  }
}
