import type { Json } from "./json-schema.ts";

/** Characters above which an input is not written out for each key that is pressed: whoever types would feel it. */
export const largeInput = 1_000_000;

/** Characters of an input, about. */
export function sizeOf(input: Json | undefined): number {
  if (typeof input === "string") return input.length;
  if (typeof input !== "object" || input === null) return 8;
  if (Array.isArray(input)) return (input as readonly Json[]).reduce<number>((sum, each) => sum + sizeOf(each), 2);
  return Object.entries(input).reduce((sum, [name, each]) => sum + name.length + sizeOf(each), 2);
}

export const isLarge = (input: Json | undefined): boolean => sizeOf(input) > largeInput;

/** "8.4 million characters", "210,000 characters". */
export function wordsOfSize(characters: number): string {
  if (characters < 1_000_000) return `${characters.toLocaleString("en")} characters`;
  return `${(characters / 1_000_000).toFixed(1)} million characters`;
}
