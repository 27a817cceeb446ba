import { type Leaving, type LostTurnsParts, startResuming } from "@toolwright/agents";
import type { AnyTool } from "@toolwright/engine";
import type { Ends } from "../ends.ts";

interface KeepTurnsParts extends LostTurnsParts {
  readonly leaving: Leaving;
  readonly tools: readonly AnyTool[];
  readonly ends: Ends;
}

/** Milliseconds for calls of agents to end before their turns are let go of. */
const leaveMs = 3_000;

/** Lets go of turns of agents when the program ends them, and goes on with those that it or another process left. Gives how to let go. */
export function keepTurns({ tools, ends, ...parts }: KeepTurnsParts): () => Promise<void> {
  const { leaving, clock } = parts;
  if (tools.some(({ effects }) => effects?.agents === "run")) ends.add(startResuming(parts));
  const leave = () => leaving.begin(leaveMs, clock);
  ends.add(leave);
  return leave;
}
