import type { CallResult } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import { exitCodeOf } from "../../exit-code-of.ts";
import { printHelp, readInput, readLoosely } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { ensureWorkspace } from "../../settings.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import { refuseTool } from "../context/find-tool.ts";
import { openServer } from "../context/operate-remotely.ts";
import { callAndAsk } from "./call-and-ask.ts";
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
  const { idempotencyKey } = open.options;
  const follow = { ...followCall(io, open.options), ...(idempotencyKey !== undefined && { idempotencyKey }) };
  return callAndAsk(io, { scope, operate: open.operate }, { name, input, canAsk: io.isInteractive && !readsStdin, follow });
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
