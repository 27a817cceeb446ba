import type { CallResult, JsonObject, PendingResult } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import { visibleText } from "@toolwright/engine/ports";
import { exitCodeOf, exitCodes } from "../../exit-code.ts";
import { describeFields, parseObject, readFields } from "../../input/read-fields.ts";
import type { Io } from "../../io.ts";
import { askPerson } from "../../output/ask-person.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { ensureWorkspace } from "../../settings.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import { tellGrant } from "../approvals/remember.ts";
import type { Person } from "../context/as-person.ts";
import { findTool } from "../context/find-tool.ts";
import { type CallOptions, withCallOptions } from "./define-call-options.ts";
import { type OpenTool, withTool } from "./with-tool.ts";

export function call(io: Io, options: CallOptions, [name = "", ...words]: readonly string[]): Promise<number> {
  return withTool(io, { options: { ...options, looksLater: true }, name, words, declare: withCallOptions }, async (open) => {
    const { operate, here } = open;
    if (open.options.help && open.tool) return printHelp(io, open.tool);
    const inForce = here && describePolicyInForce(here.toolwright.policy);
    const tool = await findTool(operate, name, { where: describeWhereabouts(open.options), inForce });
    if (here && startsPrograms(tool.effects)) await here.toolwright.lookAtMachine();
    const readsStdin = open.words[0] === "-";
    const input = await readInput(io, tool, open.words);
    const result = here
      ? await callHere(io, { ...open, here }, { name, input, canAsk: io.isInteractive && !readsStdin })
      : await callThere(io, open.options, { name, input });
    printResult(io, result, open.options);
    return exitCodeOf(result);
  });
}

async function callHere(io: Io, open: OpenHere, wanted: Wanted): Promise<CallResult> {
  const { toolwright, scope } = open.here;
  await refuseSuspended(scope, toolwright);
  await ensureWorkspace(toolwright.settings, io);
  return callAndAsk(io, open, wanted);
}

/** Nobody is asked in the middle: a call that waits is answered with toolwright approvals. */
async function callThere(io: Io, options: CallOptions, { name, input }: Omit<Wanted, "canAsk">): Promise<CallResult> {
  const [{ openServer }, { callRemotely }] = await Promise.all([import("../../remote/server.ts"), import("../../remote/call-remotely.ts")]);
  const { idempotencyKey } = options;
  const once = idempotencyKey === undefined ? {} : { idempotencyKey };
  return callRemotely(openServer(io, options), name, { ...followCall(io, options), ...once, input });
}

/** Of these alone the policy asks what the machine can give; a search through files finds out by itself. */
const startsPrograms = ({ exec, git }: ToolSummary["effects"]) => exec !== undefined || git !== undefined;

/** One JSON object, `-` for one on stdin, and fields. */
export async function readInput(io: Io, { inputSchema, name }: ToolSummary, words: readonly string[]): Promise<JsonObject> {
  const base = words[0] === "-" ? [JSON.stringify(parseObject(await io.readStdin(), name, inputSchema)), ...words.slice(1)] : words;
  return readFields(base, inputSchema, name);
}

export function printHelp(io: Io, { name, description, inputSchema }: ToolSummary): number {
  io.out(`${visibleText(description)}\n\nFields of ${name}:\n${describeFields(inputSchema)}\n`);
  return exitCodes.done;
}

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
