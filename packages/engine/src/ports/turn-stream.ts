import type { Json } from "../contract/json.ts";
import { definePort } from "./define-port.ts";
import type { TurnRef } from "./turns.ts";

/** A piece of what people who watch a turn see, as chunks of the AI SDK's UI message stream (v1). */
export interface TurnPart {
  /** 1-based and rising in its turn. */
  readonly position: number;
  readonly chunks: readonly Json[];
  /**
   * The position at which the pieces of a whole step began, in the place of which it stands. Who has seen all of them up to this one needs it
   * not; who has seen some of them drops these first (`reset-step`). Without chunks the step is void and begins anew.
   */
  readonly since?: number;
}

/**
 * What people see of turns, while they run and afterwards. *Contract:* one run writes a turn at a time. Pieces of a step are there until the
 * whole step is. All of it goes with the turn's conversation.
 */
export interface TurnStream {
  /** Adds a piece of the step that is under way. */
  add(ref: TurnRef, chunks: readonly Json[]): Promise<void>;
  /** Puts the whole step in the place of its pieces. */
  settle(ref: TurnRef, chunks: readonly Json[]): Promise<void>;
  /** In order. `after`: only those with a greater position. */
  read(ref: TurnRef, after: number): Promise<readonly TurnPart[]>;
  /** Calls back when there is more of the turn, and also when there may be. Returns how to stop. */
  follow(ref: TurnRef, listener: () => void): () => void;
}

export const turnStreamPort = definePort<TurnStream>()("turnStream", "what people see of turns, such as createMemoryTurnStream()");

/** The chunks of a part for somebody who has seen everything up to `after`. */
export function chunksFor({ position, chunks, since }: TurnPart, after: number): readonly Json[] {
  if (since === undefined || after < since) return chunks;
  return after === position - 1 && chunks.length > 0 ? [] : [{ type: "reset-step" }, ...chunks];
}
