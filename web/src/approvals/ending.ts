import { visibleText } from "../api/client.ts";
import { useIsPast } from "../parts/use-now.ts";
import type { Stored } from "./stored.ts";

/** Whether somebody can still answer it. */
export function useIsWaiting({ answer, expiredAt, record }: Stored): boolean {
  const isPast = useIsPast(record.expiresAt);
  return answer === undefined && expiredAt === undefined && !isPast;
}

/** Who said what to it, when, and where. */
export function endingOf({ answer, expiredAt, record }: Stored): string {
  if (answer) {
    const words = {
      approve: "approved it",
      deny: "denied it",
      edit: "approved it with another input",
      respond: "answered in its place",
    } as const;
    const message =
      "message" in answer.outcome && answer.outcome.message ? `: ${visibleText(answer.outcome.message).replace(/\.$/, "")}` : "";
    const where = answer.door === undefined ? "" : `, by ${answer.door}`;
    return `${visibleText(answer.by.id)} ${words[answer.outcome.kind]} at ${new Date(answer.at).toLocaleTimeString()}${where}${message}.`;
  }
  return `Nobody answered before it expired at ${new Date(expiredAt ?? record.expiresAt).toLocaleTimeString()}. The caller can ask again.`;
}
