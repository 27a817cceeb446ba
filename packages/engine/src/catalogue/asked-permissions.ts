import type { Snapshot } from "./catalogue.ts";

const asked = new WeakMap<Snapshot, readonly string[]>();

/** What the tools that are there ask of their callers, each once. */
export function askedPermissions(engine: { snapshot(): Snapshot }): readonly string[] {
  const snapshot = engine.snapshot();
  const known = asked.get(snapshot);
  if (known) return known;
  const found = [...new Set(snapshot.tools.flatMap(({ definition }) => definition.permission ?? []))];
  asked.set(snapshot, found);
  return found;
}
