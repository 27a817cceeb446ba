import type { OperationTypes } from "../../api/queries.ts";
import type { UrlState } from "../../app/use-url.ts";

export type RunFilter = Pick<OperationTypes["runs.list"]["input"], "tool" | "agent" | "status" | "since">;

export const statuses = [
  { value: "success", label: "Done" },
  { value: "error", label: "Failed" },
  { value: "denied", label: "Denied" },
  { value: "cancelled", label: "Cancelled" },
  { value: "pending", label: "Waits" },
  { value: "running", label: "Running" },
  { value: "unknown", label: "Unknown" },
] as const;

const hour = 3_600_000;
export const spans = [
  { value: "", label: "Any time", ms: 0 },
  { value: "1h", label: "Last hour", ms: hour },
  { value: "1d", label: "Last day", ms: 24 * hour },
  { value: "7d", label: "Last 7 days", ms: 7 * 24 * hour },
] as const;

/** What the URL asks for; a word that it does not know counts as none. Times begin with a whole minute, so that one list stays one. */
export function filterOf({ tool, agent, status, span }: UrlState, now = Date.now()): RunFilter {
  const known = statuses.find(({ value }) => value === status)?.value;
  const { ms } = spans.find(({ value }) => value === (span ?? "")) ?? spans[0];
  return {
    ...(tool && { tool }),
    ...(agent && { agent }),
    ...(known && { status: known }),
    ...(ms > 0 && { since: Math.floor((now - ms) / 60_000) * 60_000 }),
  };
}
