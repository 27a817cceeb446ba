import type { Item } from "../../api/queries.ts";

interface Told {
  readonly effect?: string;
  readonly rule?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly by?: { readonly id?: string };
  readonly error?: { readonly code?: string; readonly message?: string };
}

const effects: Readonly<Record<string, string>> = { allow: "allowed", ask: "asked", deny: "denied" };

/** One event of a call in plain words. */
export function tellStory({ event: { type, data, actor } }: Item<"events.list">): string {
  const { effect, rule, reason, message, by, error } = data as Told;
  const decided = rule === undefined ? "" : `, ${effects[effect ?? ""] ?? effect} by ${rule}`;
  switch (type) {
    case "tool.started":
      return `Started${decided}`;
    case "tool.output_appended":
      return "Wrote output";
    case "tool.completed":
      return "Done";
    case "tool.failed":
      return `Failed${error?.message ? `: ${error.message}` : ""}`;
    case "tool.cancelled":
      return `Cancelled${reason ? `: ${reason}` : ""}`;
    case "tool.needs_approval":
      return `Waits for a person${decided}${reason ? `: ${reason}` : ""}`;
    case "tool.approved":
      return `Approved by ${by?.id ?? actor.id}`;
    case "tool.denied":
      return `Denied${message ? `: ${message}` : reason ? `: ${reason}` : decided}`;
    default:
      return type;
  }
}
