import type { CallResult, JsonObject, PendingResult, ToolView } from "@toolwright/engine";
import { exitCodeOf } from "../../exit-code.ts";
import { printHelp, readInput, readLoosely } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { askPerson } from "../../output/ask-person.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { ensureWorkspace } from "../../settings.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import { tellGrant } from "../approvals/remember.ts";
import type { Person } from "../context/as-person.ts";
import { findTool } from "../context/find-tool.ts";
import { operateAs } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { type CallOptions, withCallOptions } from "./define-call-options.ts";
import { type OpenTool, withTool } from "./with-tool.ts";

export async function call(io: Io, options: CallOptions & RemoteOptions, [name = "", ...words]: readonly string[]): Promise<number> {
  const line = { options: { ...options, looksLater: true }, name, words, declare: withCallOptions };
  if (options.server !== undefined) return (await import("./call-remotely.ts")).callRemotely(io, line);
  return withTool(io, line, async (open) => {
    const { toolwright, scope } = open;
    if (open.options.help && open.tool) return printHelp(io, open.tool);
    const tool = scope.find(name);
    if (!tool) return refuseUnlisted(io, open, name);
    if (startsPrograms(tool.effects)) await toolwright.lookAtMachine();
    const readsStdin = open.words[0] === "-";
    const input = await readInput(io, tool, open.words);
    await refuseSuspended(scope, toolwright);
    await ensureWorkspace(toolwright.settings, io);
    const result = await callAndAsk(io, open, { name, input, canAsk: io.isInteractive && !readsStdin });
    printResult(io, result, open.options);
    return exitCodeOf(result);
  });
}

/** The gate refuses what this caller may not use, and the log has it, as at every door. To a person this door says more than to a program. */
async function refuseUnlisted(io: Io, { scope, toolwright, tool, options, words }: OpenTool<CallOptions>, name: string): Promise<number> {
  const input = await readLoosely(io, tool ?? { name, inputSchema: {} }, words);
  const result = await scope.invokeNamed(name, input);
  if (!options.json) findTool(scope, name, toolwright.policy);
  printResult(io, result, options);
  return exitCodeOf(result);
}

/** Of these alone the policy asks what the machine can give; a search through files finds out by itself. */
const startsPrograms = ({ exec, git }: ToolView["effects"]) => exec !== undefined || git !== undefined;

interface Wanted {
  readonly name: string;
  readonly input: JsonObject;
  readonly canAsk: boolean;
}

/** With a person at the terminal the question is asked here and now; otherwise the call stays pending until it is made again. */
async function callAndAsk(
  io: Io,
  { scope, toolwright, options }: OpenTool<CallOptions>,
  { name, input, canAsk }: Wanted,
): Promise<CallResult> {
  const { idempotencyKey } = options;
  const follow = followCall(io, options);
  const once = idempotencyKey === undefined ? {} : { idempotencyKey };
  let result = await scope.invokeNamed(name, input, { ...follow, ...once, takeUpWaiting: true });
  // A call that makes calls may wait for one approval after the other.
  for (let asked = ""; canAsk && result.status === "pending" && result.approval.id !== asked; ) {
    asked = result.approval.id;
    if (!(await answerHere(io, { operate: operateAs(scope, toolwright), tenant: scope.principal.tenant }, result))) return result;
    result = await scope.resume(asked, follow);
  }
  return result;
}

/** True when the person answered, yes or no. */
async function answerHere(io: Io, person: Pick<Person, "operate" | "tenant">, { approval: { id } }: PendingResult): Promise<boolean> {
  const { operate } = person;
  const { record } = await operate("approvals.get", { id });
  const outcome = await askPerson(io, record, await operate("approvals.propose", { id }));
  if (!outcome) return false;
  await operate("approvals.answer", { id, outcome });
  if (outcome.kind === "approve" && outcome.remember) await tellGrant(io, person, id);
  return true;
}
