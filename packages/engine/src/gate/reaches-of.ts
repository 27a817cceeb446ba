import type { Reach } from "../contract/decision.ts";
import type { ParsedCall } from "./call.ts";

const nothing: readonly Reach[] = [];

/** What the call will reach, as the tool itself says. */
export function reachesOf({ tool, input }: Pick<ParsedCall, "tool" | "input">): readonly Reach[] {
  return tool.definition.reaches?.(input as never) ?? nothing;
}
