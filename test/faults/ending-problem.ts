import type { Told } from "./doors/door-client.ts";

/** The event that each ending of a call is. */
const eventOf: Readonly<Record<string, string>> = {
  done: "tool.completed",
  failed: "tool.failed failed",
  unknown: "tool.failed unknown",
  cancelled: "tool.cancelled",
  denied: "tool.denied",
  pending: "tool.needs_approval",
};
/** Of fault tools: those that leave nothing behind, whose events may follow their answer. */
const readers: ReadonlySet<string> = new Set(["glance"]);
/** Those whose effect is a line in the file of effects. */
const writers: ReadonlySet<string> = new Set(["mark", "pay", "stumble"]);

interface LoggedCall {
  /** Types of its events, in order; of a failure with its outcome. */
  readonly events: readonly string[];
  /** Its line is in the file of effects. */
  readonly hadEffect: boolean;
}

/** What differs between what a client was told of a call and what the log says of it; undefined when nothing does. */
export function endingProblem(
  { tool, door, status, callId, isUnrecorded }: Told & { readonly tool: string; readonly door: string },
  { events, hadEffect }: LoggedCall,
): string | undefined {
  const wanted = eventOf[status];
  const found = events.filter((type) => type === wanted).length;
  const told = `${callId}, through ${door}, was answered "${status}"`;
  if (writers.has(tool) && status === "done" && !hadEffect) return `${told} and had no effect`;
  // What a person is asked about goes on after that.
  const others = events.filter((type) => type !== wanted && isEnding(type));
  if (status !== "pending" && found + others.length > 1) return `${told} and ended more than once: ${events.join(", ")}`;
  if (found === 1 || isUnrecorded) return undefined;
  const isForgiven = readers.has(tool) && others.every((type) => type === "tool.failed unknown");
  return isForgiven ? undefined : `${told}, and the log has ${events.length === 0 ? "nothing of it" : events.join(", ")}`;
}

function isEnding(type: string): boolean {
  return type.startsWith("tool.completed") || type.startsWith("tool.failed") || type === "tool.cancelled" || type === "tool.denied";
}
