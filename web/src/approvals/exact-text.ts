import { visibleText } from "../api/client.ts";

/** One member of what a tool would be called with, as text: nothing of it is hidden, and nothing is cut. */
export interface ExactPart {
  readonly name: string;
  readonly text: string;
}

/** The whole input, member by member, with every character that a screen would hide or obey written out (R-AP-7). */
export function exactParts(input: unknown): readonly ExactPart[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [{ name: "Input", text: exactText(input) }];
  return Object.entries(input).map(([name, value]) => ({ name: visibleText(name), text: exactText(value) }));
}

function exactText(value: unknown): string {
  return visibleText(typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "nothing"));
}
