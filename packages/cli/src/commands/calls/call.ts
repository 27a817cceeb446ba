import type { CallResult, Scope } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import type { ComposeOptions, Toolwright } from "@toolwright/server";
import { Command } from "commander";
import { CliError } from "../../cli-error.ts";
import { exitCodeOf } from "../../exit-code-of.ts";
import { printHelp, readInput, readLoosely } from "../../input/read-input.ts";
import type { Io } from "../../io.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { describePolicyInForce } from "../../output/policy-in-force.ts";
import { followCall, printResult } from "../../output/print-result.ts";
import { cliSessionName } from "../../session-name.ts";
import { readSettings } from "../../settings.ts";
import { lookForTool, refuseTool } from "../context/find-tool.ts";
import type { Operate } from "../context/operate.ts";
import { findLocalServer, openServer, type RemoteServer } from "../context/operate-remotely.ts";
import { type Calls, callAndAsk, callsHere, type Wish } from "./call-and-ask.ts";
import { type CallOptions, withCallOptions } from "./define-call-options.ts";
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

/** Where a call is made: here, on the server that it names, or on the one that runs on this state folder. */
type Place = { readonly operate: Operate } & (
  | { readonly here: { readonly toolwright: Toolwright; readonly scope: Scope }; readonly server?: undefined }
  | { readonly here?: undefined; readonly server: RemoteServer }
);

/** Finds a tool by name; where the engine runs in this process, also a hidden one. */
const findAny = ({ operate, here }: Place, name: string): Promise<ToolSummary | undefined> =>
  here ? Promise.resolve(here.scope.survey().find(({ tool }) => tool.name === name)?.tool) : lookForTool(operate, name);

async function withAnswerer<Result>(
  io: Io,
  options: CallOptions & ComposeOptions,
  use: (place: Place) => Promise<Result>,
): Promise<Result> {
  const { tenant, agent, server } = options;
  const on = (remote: RemoteServer) => use({ operate: remote.operate, server: remote });
  if (server !== undefined) {
    if (agent !== undefined) throw new CliError("With --server, the key says which agent it is. Leave --agent out.");
    return on(openServer(io, options));
  }
  const { isInteractive: interactive } = io;
  // Which agents there are is known to the policy of the composition.
  const local =
    agent === undefined &&
    (await findLocalServer(io, { settings: readSettings(options, io), tenant, interactive, session: cliSessionName() }));
  if (local) return on(local);
  const [{ requireKnownAgent }, { withToolwright }, { cliScope }, { operateAs }] = await Promise.all([
    import("../context/require-agent.ts"),
    import("../context/with-toolwright.ts"),
    import("../../caller.ts"),
    import("../context/operate.ts"),
  ]);
  return withToolwright(io, options, async (toolwright) => {
    await requireKnownAgent(toolwright, tenant, agent);
    const scope = await cliScope(toolwright, io, { tenant, agent });
    return use({ operate: operateAs(scope, toolwright), here: { toolwright, scope } });
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
