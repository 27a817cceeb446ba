import type { CallResult, JsonObject, PendingResult, Scope } from "@toolwright/engine";
import { cliScope } from "../../caller.ts";
import { exitCodeOf } from "../../exit-code.ts";
import { parseObject, readFields } from "../../input/read-fields.ts";
import type { Io } from "../../io.ts";
import { askPerson } from "../../output/ask-person.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { type CommonOptions, ensureWorkspace } from "../../settings.ts";
import { tellGrant } from "../approvals/remember.ts";
import { findTool } from "../context/find-tool.ts";
import { withToolwright } from "../context/with-toolwright.ts";

interface CallOptions extends CommonOptions {
  readonly idempotencyKey?: string;
}

export function call(io: Io, options: CallOptions, [name = "", ...words]: readonly string[]): Promise<number> {
  return withToolwright(io, options, async (toolwright) => {
    const scope = cliScope(toolwright, io);
    const tool = findTool(scope, name);
    const readsStdin = words[0] === "-";
    const base = readsStdin ? [JSON.stringify(parseObject(await io.readStdin(), name)), ...words.slice(1)] : words;
    const input = readFields(base, tool.inputSchema, name);
    await ensureWorkspace(toolwright.settings, io);
    const result = await callAndAsk(io, scope, { name, input, canAsk: io.isInteractive && !readsStdin, options });
    printResult(io, result, options);
    return exitCodeOf(result);
  });
}

interface Wanted {
  readonly name: string;
  readonly input: JsonObject;
  readonly canAsk: boolean;
  readonly options: CallOptions;
}

/** With a person at the terminal the question is asked here and now; otherwise the call stays pending. */
async function callAndAsk(io: Io, scope: Scope, { name, input, canAsk, options: { idempotencyKey } }: Wanted): Promise<CallResult> {
  const follow = followCall(io);
  const result = await scope.invoke(name, input, { ...follow, ...(idempotencyKey !== undefined && { idempotencyKey }) });
  if (result.status !== "pending" || !canAsk) return result;
  return (await answerHere(io, scope, result)) ? scope.resume(result.approval.id, follow) : result;
}

/** True when the person answered, yes or no. */
async function answerHere(io: Io, scope: Scope, { approval }: PendingResult): Promise<boolean> {
  const stored = (await scope.approvals()).find(({ record }) => record.id === approval.id);
  const outcome = stored && (await askPerson(io, stored.record, await scope.offerRemember(approval.id)));
  if (!outcome) return false;
  await scope.answer(approval.id, outcome);
  if (outcome.kind === "approve" && outcome.remember) await tellGrant(io, scope, approval.id);
  return true;
}
