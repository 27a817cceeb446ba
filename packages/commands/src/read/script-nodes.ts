import type { ParsedScript } from "unbash";
import { NotUnderstood } from "../words/decode-word.ts";

/** A line with the most words that are judged has about a third. */
const most = 20_000;

/** Every node of a parsed line, those within substitutions, loops and functions too. */
export function* nodesOf(script: ParsedScript): Generator<{ readonly type: string } & Record<string, unknown>> {
  const pending: unknown[] = [script];
  const seen = new Set<unknown>();
  while (pending.length > 0) {
    const part = pending.pop();
    if (typeof part !== "object" || part === null || seen.has(part)) continue;
    if (seen.add(part).size > most) throw new NotUnderstood("it is put together from too many parts");
    if ("type" in part && typeof part.type === "string") yield part as { readonly type: string } & Record<string, unknown>;
    for (const name of membersOf(part)) pending.push((part as Record<string, unknown>)[name]);
  }
}

/** The parser reads what is inside a word only when a getter is asked for it. */
function membersOf(part: object): readonly string[] {
  const prototype: object = Object.getPrototypeOf(part);
  if (prototype === Object.prototype || prototype === Array.prototype) return Object.keys(part);
  const getters = Object.entries(Object.getOwnPropertyDescriptors(prototype)).filter(([, { get }]) => get !== undefined);
  return [...Object.keys(part), ...getters.map(([name]) => name)];
}

/** True when a here-document lacks the line that ends it. */
export function hasOpenDocument(script: ParsedScript): boolean {
  for (const node of nodesOf(script)) if (node.type === "HereDoc" && !node.closing) return true;
  return false;
}
