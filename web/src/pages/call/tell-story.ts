import type { Item } from "../../api/queries.ts";

interface Person {
  readonly id?: string;
}

interface Told {
  readonly effect?: string;
  readonly rule?: string;
  readonly reason?: string;
  readonly message?: string;
  /** Several where grants stood for a person. */
  readonly by?: Person | readonly Person[];
  readonly text?: string;
  readonly omittedCharacters?: number;
  readonly error?: { readonly code?: string; readonly message?: string };
}

const effects: Readonly<Record<string, string>> = { allow: "allowed", ask: "asked", deny: "denied" };

/** Characters of an output in its line; all of it is in the event. */
const shownText = 200;

/** One event of a call in plain words. */
export function tellStory({ event: { type, data, actor } }: Item<"events.list">): string {
  const { effect, rule, reason, message, by, text, omittedCharacters, error } = data as Told;
  const decided = rule === undefined ? "" : `, ${effects[effect ?? ""] ?? effect} by ${rule}`;
  switch (type) {
    case "tool.started":
      return `Started${decided}`;
    case "tool.output_appended":
      return text === undefined
        ? `Wrote ${omittedCharacters ?? 0} more characters, which are not kept`
        : `Wrote ${JSON.stringify(text.slice(0, shownText))}`;
    case "tool.completed":
      return "Done";
    case "tool.failed":
      return `Failed${error?.message ? `: ${error.message}` : ""}`;
    case "tool.cancelled":
      return `Cancelled${reason ? `: ${reason}` : ""}`;
    case "tool.needs_approval":
      return `Waits for a person${decided}${reason ? `: ${reason}` : ""}`;
    case "tool.approved":
      return `Approved by ${[by ?? actor]
        .flat()
        .map(({ id }) => id ?? "somebody")
        .join(", ")}`;
    case "tool.denied":
      return `Denied${message ? `: ${message}` : reason ? `: ${reason}` : decided}`;
    default:
      return type;
  }
}
