import { fail, type ToolContext, type Tools } from "@toolwright/engine";
import type { RunOutcome } from "../agent-runs.ts";
import type { SpawnOutcome, SpawnRequest } from "../sub-agents.ts";
import type { startsSubAgents } from "./turn-output.ts";

type Outcome = RunOutcome | SpawnOutcome;

/** Runs a turn until it has ended; while it waits, the call is suspended. One in the background has only begun. */
export async function runToEnd(run: () => Promise<Outcome>, tools: Tools) {
  for (;;) {
    const outcome = await run();
    if (outcome.kind !== "waits") return describe(outcome);
    await tools.suspend(outcome.waitsFor.map((id) => ({ kind: "approval", id })));
  }
}

/** Has a sub-agent do the work, and shows what it says as it comes. */
export function runSubAgent(request: SpawnRequest, context: ToolContext<(typeof startsSubAgents)["effects"]>) {
  const { agents, tools, usage, output, progress } = context;
  const ears = {
    spend: (spent: Parameters<typeof usage.add>[0]) => usage.add(spent),
    say: (text: string) => output.append(text),
    tell: (message: string, steps: number) => progress(steps, undefined, message),
  };
  return runToEnd(() => agents.spawn(request, ears), tools);
}

const states = { queued: "queued", begun: "running" } as const;

function describe({ kind, turn }: Exclude<Outcome, { kind: "waits" }>) {
  const { id, conversation, state, text, limit, finishReason, error, steps } = turn;
  if (error) return fail(error.code, error.message, { turn: id, conversation });
  const { inputTokens = 0, outputTokens = 0 } = turn.usage;
  return {
    ...{ turn: id, conversation, text: kind === "ended" ? text : "" },
    state: kind === "ended" ? (state === "cancelled" ? ("cancelled" as const) : ("done" as const)) : states[kind],
    ...(limit !== undefined && { limit }),
    ...(finishReason !== undefined && { finishReason }),
    usage: { inputTokens, outputTokens, steps },
  };
}
