import type { UIMessageChunk } from "ai";

const deltas = ["text-delta", "reasoning-delta", "tool-input-delta"] as const;
type Delta = Extract<UIMessageChunk, { type: (typeof deltas)[number] }>;

const isDelta = (chunk: UIMessageChunk): chunk is Delta => (deltas as readonly string[]).includes(chunk.type);

/** Shortens chunks for whoever sees them at once: joins the pieces of a text, and keeps of a call only its result. */
export function compactChunks(chunks: readonly UIMessageChunk[]): readonly UIMessageChunk[] {
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
