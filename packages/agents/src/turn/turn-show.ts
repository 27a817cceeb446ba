import type { Json, Logger } from "@toolwright/engine";
import type { Clock, TurnRecord, TurnRef, TurnStream } from "@toolwright/engine/ports";
import type { UIMessageChunk } from "ai";
import type { TurnSeal } from "./turn-seal.ts";

const pieceMs = 250;
const pieceCharacters = 4_096;

interface ShowParts {
  readonly stream: TurnStream;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Writes what people see of a turn: the first words of a step at once, further pieces a few times a second, and each step as a whole when it has ended. */
export class TurnShow {
  readonly #ref: TurnRef;
  readonly #seal: Pick<TurnSeal, "showChunk">;
  readonly #parts: ShowParts;
  #step: UIMessageChunk[] = [];
  #piece: UIMessageChunk[] = [];
  #characters = 0;
  /** The step has said something. */
  #hasWords = false;
  /** Somebody may have seen pieces of the step. */
  #hasPieces = false;
  #cancel: (() => void) | undefined;
  #writing = Promise.resolve();

  constructor(ref: TurnRef, seal: Pick<TurnSeal, "showChunk">, parts: ShowParts) {
    this.#ref = ref;
    this.#seal = seal;
    this.#parts = parts;
  }

  add(given: UIMessageChunk): void {
    const chunk = this.#seal.showChunk(given);
    if (!chunk) return;
    this.#step.push(chunk);
    this.#piece.push(chunk);
    this.#characters += sizeOf(chunk);
    const isFirst = !this.#hasWords && isWords(chunk);
    this.#hasWords ||= isFirst;
    if (isFirst || this.#characters >= pieceCharacters) this.#writePiece();
    else this.#cancel ??= this.#parts.clock.after(pieceMs, () => this.#writePiece());
  }

  start({ id, conversation, agent }: Pick<TurnRecord, "id" | "conversation" | "agent">): void {
    this.add({ type: "start", messageId: id, messageMetadata: { conversation, agent } });
  }

  /** The request of the step failed and is sent again after a pause: why, until the step begins anew. */
  wait(message: string, pauseMs: number): void {
    this.restart();
    this.add({ type: "data-model-wait", data: { message, until: this.#parts.clock.now() + pauseMs } });
  }

  /** A text that is no model's. */
  say(id: string, delta: string): void {
    this.add({ type: "text-start", id });
    this.add({ type: "text-delta", id, delta });
    this.add({ type: "text-end", id });
  }

  /** The step has ended: what is shown of it stays. */
  settle(): void {
    if (this.#step.length === 0) return;
    // Who has seen every piece does not look at the whole.
    if (this.#hasPieces) this.#writePiece();
    const whole = compactChunks(this.#step) as readonly Json[];
    this.#forget();
    this.#write((stream) => stream.settle(this.#ref, whole));
  }

  /** The step begins anew, as its request failed. */
  restart(): void {
    // What a turn begins with belongs to no step.
    if (!this.#step.some(({ type }) => type !== "start")) return;
    const start = this.#step.find(({ type }) => type === "start");
    this.forgetPieces();
    if (start) this.add(start);
  }

  /** What was shown of the step that is under way is void, also what another process showed. */
  forgetPieces(): void {
    this.#forget();
    this.#write((stream) => stream.settle(this.#ref, []));
  }

  /** Resolves when everything is written. */
  written(): Promise<void> {
    return this.#writing;
  }

  #forget(): void {
    this.#step = [];
    this.#hasWords = false;
    this.#hasPieces = false;
    this.#endPiece();
  }

  #endPiece(): void {
    this.#piece = [];
    this.#characters = 0;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #writePiece(): void {
    const piece = this.#piece as readonly Json[];
    this.#endPiece();
    this.#hasPieces = true;
    if (piece.length > 0) this.#write((stream) => stream.add(this.#ref, piece));
  }

  /** One after the other; who watches misses what could not be written, and the turn goes on. */
  #write(write: (stream: TurnStream) => Promise<void>): void {
    const { stream, logger } = this.#parts;
    this.#writing = this.#writing
      .then(() => write(stream))
      .catch((error: unknown) =>
        logger.log("warn", "What people see of a turn could not be written.", { turn: this.#ref.id, error: String(error) }),
      );
  }
}

function sizeOf(chunk: UIMessageChunk): number {
  if ("delta" in chunk && typeof chunk.delta === "string") return chunk.delta.length;
  return chunk.type.startsWith("tool-") ? pieceCharacters / 8 : 64;
}

const isWords = (chunk: UIMessageChunk) => (chunk.type === "text-delta" || chunk.type === "reasoning-delta") && chunk.delta !== "";

const deltas = ["text-delta", "reasoning-delta", "tool-input-delta"] as const;
type Delta = Extract<UIMessageChunk, { type: (typeof deltas)[number] }>;

const isDelta = (chunk: UIMessageChunk): chunk is Delta => (deltas as readonly string[]).includes(chunk.type);

/** Shortens chunks for a reader who gets them all at once: joins the pieces of each text and keeps only the result of each call. */
function compactChunks(chunks: readonly UIMessageChunk[]): readonly UIMessageChunk[] {
  const whole: UIMessageChunk[] = [];
  for (const chunk of chunks) {
    if (chunk.type === "tool-input-delta" || chunk.type === "tool-input-start" || isPreliminary(chunk)) continue;
    const last = whole.at(-1);
    if (last && isDelta(last) && isDelta(chunk) && "delta" in last && "delta" in chunk && isSame(last, chunk))
      whole[whole.length - 1] = { ...last, delta: last.delta + chunk.delta } as UIMessageChunk;
    else whole.push(chunk);
  }
  return whole;
}

const isPreliminary = (chunk: UIMessageChunk) => chunk.type === "tool-output-available" && chunk.preliminary === true;

function isSame(one: Delta, other: Delta): boolean {
  return one.type === other.type && "id" in one && "id" in other && one.id === other.id;
}
