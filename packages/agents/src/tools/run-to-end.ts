import { fail, type Tools } from "@toolwright/engine";
import type { RunOutcome } from "../agent-runs.ts";

/** Runs a turn until it has ended; while it waits, the call is suspended. */
export async function runToEnd(run: () => Promise<RunOutcome>, tools: Tools) {
  for (;;) {
    const outcome = await run();
    if (outcome.kind !== "waits") return describe(outcome);
    await tools.suspend(outcome.waitsFor.map((id) => ({ kind: "approval", id })));
  }
}

function describe({ kind, turn }: Exclude<RunOutcome, { kind: "waits" }>) {
  const { id, conversation, state, text, limit, error, steps } = turn;
  if (error) return fail(error.code, error.message, { turn: id, conversation });
  const { inputTokens = 0, outputTokens = 0 } = turn.usage;
  return {
    ...{ turn: id, conversation, text: kind === "queued" ? "" : text },
    state: kind === "queued" ? ("queued" as const) : state === "cancelled" ? ("cancelled" as const) : ("done" as const),
    ...(limit !== undefined && { limit }),
    usage: { inputTokens, outputTokens, steps },
  };
}
