import { randomUUID } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ArtifactRef, ToolwrightError } from "@toolwright/engine";
import type { ArtifactWriter } from "@toolwright/engine/ports";
import { brokenEnd } from "./text-cut.ts";

/** Bytes that go from the file into the artifact at once. */
const pieceBytes = 1024 * 1024;

export interface SpooledOutput {
  /** Absent when it could not be kept. */
  readonly artifact?: ArtifactRef;
  /** True when the artifact holds only the beginning. */
  readonly cut: boolean;
  /** Why it could not be kept, where that is known. */
  readonly problem?: string;
}

/**
 * Holds a stream in a file while it comes, and copies the file into an artifact meanwhile: a store that is slower than the process holds
 * up neither it nor loses any of its output. A full disk is no failure of the run. The file has no name, so nothing of it is left over.
 */
export class OutputSpool {
  readonly #open: () => Promise<ArtifactWriter>;
  readonly #maxBytes: number;
  readonly #file: number | undefined;
  #written = 0;
  #copied = 0;
  #cut = false;
  #problem: unknown;
  #copying: Promise<void> | undefined;
  #writer: ArtifactWriter | undefined;

  constructor(open: () => Promise<ArtifactWriter>, { maxBytes }: { readonly maxBytes: number }) {
    this.#open = open;
    this.#maxBytes = maxBytes;
    this.#file = this.#attempt(openUnnamed);
  }

  /** Into the cache of the disk, which takes less time than to hand it to another thread. */
  push(chunk: Uint8Array): void {
    const file = this.#file;
    if (this.#cut || this.#problem !== undefined || file === undefined) return;
    const kept = this.#fit(chunk);
    this.#attempt(() => {
      for (let start = 0; start < kept.length; ) start += writeSync(file, kept, start, kept.length - start, this.#written + start);
      this.#written += kept.length;
    });
    if (this.#written - this.#copied >= pieceBytes) this.#copying ??= this.#copy(file, pieceBytes);
  }

  async finish(): Promise<SpooledOutput> {
    await this.#copying;
    if (this.#file !== undefined && this.#problem === undefined) await this.#copy(this.#file, 1);
    if (this.#file !== undefined) closeSync(this.#file);
    if (this.#problem === undefined && this.#writer) {
      try {
        return { artifact: await this.#writer.finish(), cut: this.#cut };
      } catch (error) {
        this.#problem = error;
      }
    }
    await this.#writer?.discard().catch(() => {});
    return { cut: false, ...(isQuota(this.#problem) && { problem: this.#problem.message }) };
  }

  /** Keeps nothing. */
  async drop(): Promise<void> {
    this.#cut = true;
    await this.#copying;
    if (this.#file !== undefined) closeSync(this.#file);
    await this.#writer?.discard().catch(() => {});
  }

  #fit(chunk: Uint8Array): Uint8Array {
    const room = this.#maxBytes - this.#written;
    if (chunk.length <= room) return chunk;
    this.#cut = true;
    const beginning = chunk.subarray(0, Math.max(0, room));
    return beginning.subarray(0, beginning.length - brokenEnd(beginning));
  }

  /** While there are at least so many bytes to copy. */
  async #copy(file: number, atLeast: number): Promise<void> {
    try {
      this.#writer ??= await this.#open();
      while (this.#written - this.#copied >= atLeast) {
        const piece = Buffer.allocUnsafe(Math.min(pieceBytes, this.#written - this.#copied));
        const read = readSync(file, piece, 0, piece.length, this.#copied);
        await this.#writer.write(piece.subarray(0, read));
        this.#copied += read;
      }
    } catch (error) {
      this.#problem ??= error;
    }
    this.#copying = undefined;
  }

  #attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.#problem ??= error;
      return undefined;
    }
  }
}

function openUnnamed(): number {
  const path = join(tmpdir(), `toolwright-output-${randomUUID()}`);
  const file = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  return file;
}

/** Its message says what to do, and holds nothing of this machine. */
function isQuota(error: unknown): error is ToolwrightError {
  return ToolwrightError.is(error) && (error.code === "artifact_quota" || error.code === "disk_full");
}
