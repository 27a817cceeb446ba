import { ToolwrightError } from "@toolwright/engine";
import type { RunSite, RunsParts } from "./go-on.ts";

/** Rejects names of tools that the caller does not have: a sub-agent with fewer than it was to get would go unnoticed. */
export function requireTools(wanted: readonly string[], { principal, session }: RunSite, { engine }: RunsParts): void {
  const own = engine.scope(principal, { session }).list();
  const known = new Set(own.flatMap(({ name, group }) => [name, `group:${group}`]));
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const message = `You have no ${unknown.map((name) => JSON.stringify(name)).join(", ")}. Name tools that you have, or groups of them, such as group:fs.`;
  throw new ToolwrightError("invalid_input", message);
}
