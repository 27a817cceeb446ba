import type { CallResult, JsonObject, PendingResult } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import { exitCodeOf } from "../../exit-code.ts";
import { printHelp, readInput, readLoosely } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { askPerson } from "../../output/ask-person.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { ensureWorkspace } from "../../settings.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import { tellGrant } from "../approvals/remember.ts";
import type { Person } from "../context/as-person.ts";
import { refuseTool } from "../context/find-tool.ts";
import { openServer } from "../context/operate-remotely.ts";
import { type CallOptions, withCallOptions } from "./define-call-options.ts";
import { type OpenTool, withTool } from "./with-tool.ts";

export function call(io: Io, options: CallOptions, [name = "", ...words]: readonly string[]): Promise<number> {
  return withTool(io, { options: { ...options, looksLater: true }, name, words, declare: withCallOptions }, async (open) => {
    if (open.options.help && open.tool) return printHelp(io, open.tool);
    const { here } = open;
    const result = here ? await callHere(io, { ...open, here }, name) : await callThere(io, open, name);
    printResult(io, result, open.options);
    return exitCodeOf(result);
  });
}

async function callHere(io: Io, open: OpenHere, name: string): Promise<CallResult> {
  const { toolwright, scope } = open.here;
  const tool = scope.find(name);
  if (!tool) return refuseUnlisted(io, open, name);
  if (startsPrograms(tool.effects)) await toolwright.lookAtMachine();
  const readsStdin = open.words[0] === "-";
  const input = await readInput(io, tool, open.words);
  await refuseSuspended(scope, toolwright);
  await ensureWorkspace(toolwright.settings, io);
  return callAndAsk(io, open, { name, input, canAsk: io.isInteractive && !readsStdin });
}

/** Whoever waits for a call is asked there, or answers with `toolwright approvals`: nobody is asked here. */
async function callThere(io: Io, { tool, options, words }: OpenTool<CallOptions>, name: string): Promise<CallResult> {
  const input = tool ? await readInput(io, tool, words) : await readLoosely(io, { name, inputSchema: {} }, words);
  const { idempotencyKey } = options;
  const once = idempotencyKey === undefined ? {} : { idempotencyKey };
  return openServer(io, options).call(name, input, { ...followCall(io, options), ...once });
}

/** The gate refuses what this caller may not use, and the log has it, as at every door. To a person this door says more than to a program. */
async function refuseUnlisted(io: Io, { here: { scope, toolwright }, operate, tool, options, words }: OpenHere, name: string) {
  const input = await readLoosely(io, tool ?? { name, inputSchema: {} }, words);
  const result = await scope.invokeNamed(name, input);
  if (options.json) return result;
  return refuseTool(operate, name, { where: describeWhereabouts(options), inForce: describePolicyInForce(toolwright.policy) });
}

/** Of these alone the policy asks what the machine can give, and of tools that call others; a search through files finds out by itself. */
const startsPrograms = ({ exec, git, tools }: ToolSummary["effects"]) => exec !== undefined || git !== undefined || tools !== undefined;

type OpenHere = OpenTool<CallOptions> & { readonly here: NonNullable<OpenTool<CallOptions>["here"]> };

interface Wanted {
  readonly name: string;
  readonly input: JsonObject;
  readonly canAsk: boolean;
}

/** With a person at the terminal the question is asked here and now; otherwise the call stays pending until it is made again. */
async function callAndAsk(io: Io, { here: { scope }, operate, options }: OpenHere, { name, input, canAsk }: Wanted): Promise<CallResult> {
  const { idempotencyKey } = options;
  const follow = followCall(io, options);
  const once = idempotencyKey === undefined ? {} : { idempotencyKey };
  let result = await scope.invokeNamed(name, input, { ...follow, ...once, takeUpWaiting: true });
  // A call that makes calls may wait for one approval after the other.
  for (let asked = ""; canAsk && result.status === "pending" && result.approval.id !== asked; ) {
    asked = result.approval.id;
    if (!(await answerHere(io, { operate, tenant: scope.principal.tenant }, result))) return result;
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
