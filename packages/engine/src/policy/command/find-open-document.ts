import type { ParsedScript } from "unbash";

/** True when a here-document anywhere in the script, also within a substitution, lacks the line that ends it. */
export function hasOpenDocument(script: ParsedScript): boolean {
  const pending: unknown[] = [script];
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    if (typeof part !== "object" || part === null) continue;
    if ("type" in part && part.type === "HereDoc" && !("closing" in part && part.closing)) return true;
    pending.push(...Object.values(part).filter((value) => typeof value === "object" && value !== null));
  }
  return false;
}
