import type { Item } from "../api/queries.ts";

const ofApprovals: ReadonlySet<string> = new Set(["tool.needs_approval", "tool.approved", "tool.denied"]);

/** Beginnings of the operations whose answers a change makes old. The empty one begins all. */
export function affectedBy({ type }: Pick<Item<"changes.watch">, "type">): readonly string[] {
  // Who administers changes what tools do, who may see them and what waits.
  if (type.startsWith("admin.")) return [""];
  const ofAll = ["runs.", "events.", "turns.", "messages.", "sessions.", "rooms."];
  return ofApprovals.has(type)
    ? [...ofAll, "approvals.", "grants."]
    : [...ofAll, "usage.", "artifacts.", "memories.", "documents.", "browsers."];
}
