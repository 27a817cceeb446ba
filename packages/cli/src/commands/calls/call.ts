import type { CallResult } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import type { ComposeOptions } from "@toolwright/server";
import { Command } from "commander";
import { exitCodeOf } from "../../exit-code-of.ts";
import { printHelp, readInput, readLoosely } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { refuseTool } from "../context/find-tool.ts";
import { type Calls, callAndAsk, callsHere, type Wish } from "./call-and-ask.ts";
import { type CallOptions, withCallOptions } from "./define-call-options.ts";
import { findAny, type Place, withAnswerer } from "./with-answerer.ts";
import { type OpenTool, type ToolLine, withTool } from "./with-tool.ts";

export function call(io: Io, options: CallOptions, [name = "", ...words]: readonly string[]): Promise<number> {
  const line: ToolLine<CallOptions & ComposeOptions, Place> = {
    ...{ options: { ...options, looksLater: true }, name, words, known: withCallOptions(new Command()).options },
    open: (given, use) => withAnswerer(io, given, use),
    find: findAny,
  };
  return withTool(line, async ({ place, ...open }) => {
    if (open.options.help && open.tool) return printHelp(io, open.tool);
    const result = place.here ? await callHere(io, { ...open, ...place }, name) : await callThere(io, { ...open, ...place }, name);
    printResult(io, result, open.options);
    return exitCodeOf(result);
  });
}

type Open = Omit<OpenTool<CallOptions, Place>, "place">;
type OpenHere = Open & Extract<Place, { readonly here: object }>;
type OpenThere = Open & Exclude<Place, { readonly here: object }>;

async function callHere(io: Io, open: OpenHere, name: string): Promise<CallResult> {
  const { toolwright, scope } = open.here;
  const tool = scope.find(name);
  if (!tool) return refuseUnlisted(io, open, name);
  if (startsPrograms(tool.effects)) await toolwright.lookAtMachine();
  const [{ refuseSuspended }, { ensureWorkspace }] = await Promise.all([
    import("../approvals/refuse-suspended.ts"),
    import("../../settings.ts"),
  ]);
  const input = await readInput(io, tool, open.words);
  await refuseSuspended(scope, toolwright);
  await ensureWorkspace(toolwright.settings, io);
  return callAndAsk(io, { calls: callsHere(scope, name, input), operate: open.operate, tenant: scope.principal.tenant }, wishOf(io, open));
}

/** Makes the call on a server. For the server of this machine, the person at this terminal is asked; another server keeps the call waiting. */
async function callThere(io: Io, open: OpenThere, name: string): Promise<CallResult> {
  const { server, tool, options, words } = open;
  const isOther = options.server !== undefined;
  const input = tool ? await readInput(io, tool, words) : await readLoosely(io, { name, inputSchema: {} }, words);
  const calls: Calls = { call: (given) => server.call(name, input, given), resume: (id, given) => server.resume(id, given) };
  const wish = wishOf(io, open);
  if (!isOther && options.tenant !== undefined) await (await import("../approvals/refuse-suspended.ts")).refuseSuspendedThere(io, options);
  const result = await callAndAsk(io, { ...open, calls, tenant: options.tenant }, { ...wish, canAsk: wish.canAsk && !isOther });
  if (isOther || options.json || result.status !== "failed" || result.error.code !== "tool_not_found") return result;
  return refuseTool(open.operate, name, { where: describeWhereabouts(options), inForce: undefined });
}

function wishOf(io: Io, { options, words }: Open): Wish {
  const { idempotencyKey } = options;
  const follow = { ...followCall(io, options), ...(idempotencyKey !== undefined && { idempotencyKey }) };
  return { canAsk: io.isInteractive && words[0] !== "-", follow };
}

/** The gate refuses what this caller may not use, and the log has it, as at every door. To a person this door says more than to a program. */
async function refuseUnlisted(io: Io, { here: { scope, toolwright }, operate, tool, options, words }: OpenHere, name: string) {
  const input = await readLoosely(io, tool ?? { name, inputSchema: {} }, words);
  const result = await scope.invokeNamed(name, input);
  if (options.json) return result;
  return refuseTool(operate, name, { where: describeWhereabouts(options), inForce: describePolicyInForce(toolwright.policy) });
}

/** The policy asks what the machine can give for these tools alone, and for tools that call others; a search through files finds out by itself. */
const startsPrograms = ({ exec, git, tools }: ToolSummary["effects"]) => exec !== undefined || git !== undefined || tools !== undefined;
