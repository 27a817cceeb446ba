import type { Sharer } from "./fair-pool.ts";

export interface EmbedOptions {
  /** These texts are kept to be found by questions; some models read a question in another way than what answers it. */
  readonly stored?: boolean;
  /** Who asks: an embedder that computes here serves people in turn. Left out: the server itself, in the background. */
  readonly sharer?: Sharer | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Turns texts into vectors that are near each other where the texts have a similar meaning. */
export interface Embedder {
  /** Names the model and its version. Vectors of two models are never compared. */
  readonly model: string;
  readonly dimensions: number;
  /** What it understands, as BCP 47 tags; text in another language gets a vector that means little. */
  readonly languages: readonly string[];
  /**
   * *Contract:* one vector a text, in their order, of length 1. But for rounding a text always has the same, whatever is asked with it. Rejects with
   * the signal's reason when that aborts, and can then be asked again.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<readonly Float32Array[]>;
  /** Lets go of what it holds. What is still asked rejects. */
  close?(): Promise<void>;
}
