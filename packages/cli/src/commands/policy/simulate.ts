import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { compilePolicy, firstForeign, type ReplayedCall, type ReplayTool, readCall, simulatePolicy } from "@toolwright/engine/policy";
import type { RunFilter } from "@toolwright/engine/ports";
import { assumedMachine, endedUnasked, type FlippedCall, seesLengths, seesRedacted, toFlipped } from "@toolwright/engine/subjects";
import type { Store } from "@toolwright/postgres";
import { localTenant } from "@toolwright/server/local";
import { factsOf, loadDefinitions, readLines, readPolicy, readTenantPolicy } from "@toolwright/server/policy-file";
import { count, jsonLine, oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readPast } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { operateRemotely, type RemoteOptions } from "../context/operate-remotely.ts";
import { withStore } from "../context/with-store.ts";

export interface SimulateOptions extends CommonOptions, Pick<RemoteOptions, "server"> {
  readonly calls?: string;
  readonly before?: string;
  readonly since?: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly limit?: string;
}

type Tools = ReadonlyMap<string, ReplayTool>;

/** A call, or why it cannot be decided again. */
interface Recorded {
  readonly place: string;
  readonly call: ReplayedCall | string;
}

/** Decides recorded calls under another policy, and lists which would go differently. */
export async function simulate(io: Io, options: SimulateOptions): Promise<number> {
  const { before, policy, ...others } = options;
  if (policy === undefined) throw new CliError("Name the changed policy with --policy <file>.");
  if (options.server !== undefined) return simulateThere(io, options, policy);
  const settings = readSettings({ ...others, policy }, io);
  const changed = await readPolicy(settings, io);
  const current = await readPolicy(readSettings(before === undefined ? others : { ...others, policy: before }, io), io);
  const policies = { before: compilePolicy(current.tiers), after: compilePolicy(changed.tiers), machine: assumedMachine };
  const definitions = await loadDefinitions(settings, io);
  const tools = new Map([...definitions].map(([name, definition]) => [name, { definition, facts: factsOf(definition) }]));
  const judge = (recorded: AsyncIterable<Recorded>) => tell(io, options, { recorded, simulation: simulatePolicy(policies) });
  if (options.calls !== undefined) return judge(readFile(readFileName(options, io), tools));
  const filter = readFilter(options);
  if (!options.json) io.err(`Calls since ${new Date(filter.since ?? 0).toISOString()}, newest first.\n`);
  return withStore(io, others, (store) => judge(readLog(store, filter, tools)));
}

/** A file in place of the policy of the key's tenant. */
async function simulateThere(io: Io, options: SimulateOptions, policy: string): Promise<number> {
  if (options.before !== undefined || options.calls !== undefined)
    throw new CliError("With --server, calls of its log are decided against the policy in force there. Leave --before and --calls out.");
  const document = await readTenantPolicy(policy, io);
  const operate = operateRemotely(io, options);
  const { since, agent, tool, limit } = readFilter(options);
  const { calls, changes, items, leftOut, redacted, unseen } = await operate("policy.simulate", { document, since, agent, tool, limit });
  for (const left of leftOut) tellLeftOut(io, options.json, left);
  for (const flip of items) tellFlip(io, options.json, flip);
  tellSum(io, options, { calls, changes, flips: items.length, leftOut: leftOut.length, redacted, unseen });
  return exitCodes.done;
}

function readFileName({ calls = "", since, tenant, agent, tool, limit }: SimulateOptions, { cwd }: Io): string {
  if ([since, tenant, agent, tool, limit].some((option) => option !== undefined))
    throw new CliError("--since, --tenant, --agent, --tool and --limit choose calls of the log. Leave them out with --calls.");
  const path = resolve(cwd, calls);
  if (!existsSync(path)) throw new CliError(`There is no file ${path}. Make one with: toolwright log export > calls.jsonl`);
  return path;
}

function readFilter({ since = "7d", tenant = localTenant, agent, tool, limit }: SimulateOptions): Omit<RunFilter, "status"> {
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) throw new CliError(`--limit ${limit} is not a number of calls.`);
  return { tenant, agent, tool, since: readPast("--since", since), limit: limit === undefined ? undefined : Number(limit) };
}

async function* readFile(path: string, tools: Tools): AsyncGenerator<Recorded> {
  const seen = new Set<string>();
  for await (const { line, value } of readLines(path)) {
    const call = readCall(value, tools);
    if (call === undefined) continue;
    // A call that was approved has several events; it is one call.
    const callId = typeof call === "string" ? undefined : call.callId;
    if (callId !== undefined && seen.has(callId)) continue;
    if (callId !== undefined) seen.add(callId);
    yield { place: `line ${line}`, call };
  }
}

async function* readLog({ runs, catalogue, foreign }: Store, filter: Omit<RunFilter, "status">, tools: Tools): AsyncGenerator<Recorded> {
  const ofTenant = narrowed(tools, catalogue.tenantTools.of(filter.tenant)?.overrides ?? []);
  const foreignOf = firstForeign(foreign, filter.tenant);
  for await (const { event } of runs.beginnings(filter)) {
    const call = readCall(event, ofTenant) ?? endedUnasked;
    const mark = typeof call === "string" ? undefined : await foreignOf(event.session, event.at);
    yield { place: event.callId, call: typeof call === "string" ? call : { ...call, foreign: mark } };
  }
}

/** Narrows tools by the one thing that the policy reads of a tenant's overrides. */
function narrowed(tools: Tools, overrides: readonly { readonly tool: string; readonly approval?: "always_ask" }[]): Tools {
  const asking = new Set(overrides.filter(({ approval }) => approval === "always_ask").map(({ tool }) => tool));
  return new Map([...tools].map(([name, tool]) => [name, asking.has(name) ? alwaysAsking(tool) : tool]));
}

const alwaysAsking = ({ facts, ...tool }: ReplayTool): ReplayTool => ({ ...tool, facts: { ...facts, approval: "always_ask" } });

interface Judging {
  readonly recorded: AsyncIterable<Recorded>;
  readonly simulation: ReturnType<typeof simulatePolicy>;
}

const callsToTell = 10_000;

/** Writes each change when it is found, and how many there are last. */
async function tell(io: Io, { json = false }: SimulateOptions, { recorded, simulation }: Judging): Promise<number> {
  let [leftOut, redacted, unseen, flips] = [0, 0, 0, 0];
  for await (const { place, call } of recorded) {
    if (io.signal.aborted) break;
    if (typeof call === "string") {
      leftOut += 1;
      tellLeftOut(io, json, { place, reason: call });
      continue;
    }
    if (seesRedacted(call)) redacted += 1;
    if (seesLengths(call)) unseen += 1;
    const flip = simulation.decide(call);
    if (flip) flips += 1;
    if (flip) tellFlip(io, json, toFlipped(place, call, flip));
    if (!json && simulation.calls % callsToTell === 0) io.err(`${simulation.calls} calls so far.\n`);
  }
  const { calls, changes } = simulation;
  tellSum(io, { json }, { calls, flips, changes, leftOut, redacted, unseen });
  return io.signal.aborted ? exitCodes.cancelled : exitCodes.done;
}

interface Sum {
  readonly calls: number;
  readonly flips: number;
  readonly changes: Readonly<Record<string, number>>;
  readonly leftOut: number;
  readonly redacted: number;
  readonly unseen: number;
}

function tellSum(io: Io, { json }: Pick<SimulateOptions, "json">, { calls, flips, changes, leftOut, redacted, unseen }: Sum): void {
  if (json) io.out(`${jsonLine({ calls, flips, changes, leftOut, redacted, unseen })}\n`);
  else io.out(`${count(calls, "call")}: ${flips} would go differently; ${leftOut} left out.\n`);
  if (redacted > 0 && !json)
    io.err(`${count(redacted, "call")} held a secret where the policy looks, and [redacted] stood in its place.\n`);
  if (unseen > 0 && !json)
    io.err(
      `${count(unseen, "call")} held sensitive members, which the log does not hold; nothing that the policy looks at depends on them.\n`,
    );
}

const tellLeftOut = (io: Io, json: boolean | undefined, { place, reason }: { readonly place: string; readonly reason: string }) =>
  io.out(`${json ? jsonLine({ leftOut: place, reason }) : `${oneLine(place)} is left out: ${oneLine(reason)}`}\n`);

const tellFlip = (io: Io, json: boolean | undefined, flip: FlippedCall) => io.out(json ? `${jsonLine(flip)}\n` : describeFlip(flip));

const describeFlip = ({ place, tool, input, before, after }: FlippedCall) =>
  [
    `${oneLine(place)}: ${tool} ${oneLine(JSON.stringify(input))}`,
    `  before  ${describeDecision(before)}`,
    `  after   ${describeDecision(after)}`,
    "",
  ].join("\n");

const describeDecision = ({ effect, rule, reason }: FlippedCall["before"]) => `${effect}: ${oneLine(reason)} (${rule})`;
