import type { ParsedScript } from "unbash";

/** Every node of a parsed line, those within substitutions, loops and functions too. */
export function* nodesOf(script: ParsedScript): Generator<{ readonly type: string } & Record<string, unknown>> {
  const pending: unknown[] = [script];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (typeof part !== "object" || part === null) continue;
    if ("type" in part && typeof part.type === "string") yield part as { readonly type: string } & Record<string, unknown>;
    pending.push(...Object.values(part).filter((value) => typeof value === "object" && value !== null));
  }
}

/** True when a here-document lacks the line that ends it. */
export function hasOpenDocument(script: ParsedScript): boolean {
  for (const node of nodesOf(script)) if (node.type === "HereDoc" && !node.closing) return true;
  return false;
}
