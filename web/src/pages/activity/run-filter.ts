import type { OperationTypes } from "../../api/queries.ts";
import type { UrlState } from "../../app/use-url.ts";

export type RunFilter = Pick<OperationTypes["runs.list"]["input"], "tool" | "agent" | "user" | "door" | "decision" | "status" | "since">;

export const statuses = [
  { value: "success", label: "Done" },
  { value: "error", label: "Failed" },
  { value: "denied", label: "Denied" },
  { value: "cancelled", label: "Cancelled" },
  { value: "pending", label: "Waits" },
  { value: "running", label: "Running" },
  { value: "unknown", label: "Unknown" },
] as const;

/** What was decided first. */
export const decisions = [
  { value: "allow", label: "Allowed at once" },
  { value: "ask", label: "Asked a person" },
  { value: "deny", label: "Blocked" },
] as const;

/** Embedders have others, which a link can name. */
export const doors = ["form", "mcp", "rest", "cli", "ai-sdk", "agent", "code"] as const;

const hour = 3_600_000;
export const spans = [
  { value: "", label: "Any time", ms: 0 },
  { value: "1h", label: "Last hour", ms: hour },
  { value: "1d", label: "Last day", ms: 24 * hour },
  { value: "7d", label: "Last 7 days", ms: 7 * 24 * hour },
  { value: "30d", label: "Last 30 days", ms: 30 * 24 * hour },
] as const;

/** What the URL asks for; a word that it does not know counts as none. Times begin with a whole minute, so that one list stays one. */
export function filterOf({ tool, agent, person, door, decision, status, span }: UrlState, now = Date.now()): RunFilter {
  const known = statuses.find(({ value }) => value === status)?.value;
  const decided = decisions.find(({ value }) => value === decision)?.value;
  const { ms } = spans.find(({ value }) => value === (span ?? "")) ?? spans[0];
  return {
    ...(tool && { tool }),
    ...(agent && { agent }),
    ...(person && { user: person }),
    ...(door && { door }),
    ...(decided && { decision: decided }),
    ...(known && { status: known }),
    ...(ms > 0 && { since: Math.floor((now - ms) / 60_000) * 60_000 }),
  };
}
