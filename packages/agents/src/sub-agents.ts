import { type Principal, ToolwrightError } from "@toolwright/engine";
import { sessionOwner } from "@toolwright/engine/operations";
import { digest, type HeldTurn, isOpenTurn, type Lease, type TurnRecord, turnNotFound } from "@toolwright/engine/ports";
import { type AgentProfile, findProfile, requireAccepting } from "./agent/agent-profile.ts";
import { checkDay } from "./agent/check-day.ts";
import {
  type DescribedTurn,
  type GoingOn,
  goOn,
  newLease,
  type RunEars,
  type RunSite,
  type RunsParts,
  takeTurn,
  titleOf,
  withProfile,
} from "./go-on.ts";
import { keyedId } from "./own-turn.ts";
import { callAgain } from "./resume-lost.ts";
import type { RunningTurn, RunningTurns } from "./running-turns.ts";
import { takeMarks } from "./take-marks.ts";
import { toJson } from "./turn/stored-response.ts";
import { turnLeaseMs } from "./turn/turn-lease.ts";
import { noteTurn } from "./turn/turn-log.ts";
import type { TurnOutcome } from "./turn/turn-parts.ts";
import { whyOver } from "./turn/why-over.ts";

/** A piece of work for a sub-agent. */
export interface SpawnRequest {
  readonly task: string;
  /** Another agent, which accepts agents; the one that asks where it is left out. */
  readonly agent?: string | undefined;
  /** Names and `group:` handles of the only tools that it gets. */
  readonly tools?: readonly string[] | null | undefined;
  /** False for one in the background, which goes on by itself. */
  readonly wait?: boolean | null | undefined;
}

export type SpawnOutcome =
  | TurnOutcome
  /** In the background. */
  | { readonly kind: "begun"; readonly turn: TurnRecord };

interface Spawning {
  readonly site: RunSite;
  readonly ears: RunEars;
  readonly turns: RunningTurns;
}

/** Begins the sub-agent of this call, or goes on with it, until it ends or waits; of one in the background, until it has begun. */
export async function spawn(request: SpawnRequest, { site: own, ears, turns }: Spawning, parts: RunsParts): Promise<SpawnOutcome> {
  const { key, session, principal, signal } = own;
  const { tenant, agent } = principal;
  const running = turns.find({ tenant, session });
  const alive = () => {
    own.alive();
    running?.alive();
  };
  const site = { ...own, alive };
  const tell = (turn: TurnRecord) => running?.hearers.get(key ?? "")?.(turn.id);
  const known = key === undefined ? undefined : await parts.turns.get({ tenant, id: keyedId("trn", key) });
  if (known && !isOpenTurn(known)) return { kind: "ended", turn: known };
  if (known?.background) return { kind: "begun", turn: known };
  if (known) {
    tell(known);
    const goOnWith = () => takeChild(known, { site, ears }, parts);
    return running ? running.runChild(goOnWith) : goOnWith();
  }
  // A call in the session of a turn that is not its agent's own is not that turn's.
  if (key === undefined || running === undefined || running.turn.agent !== agent) throw notInTurn();
  const beginning = { request, running, key, site };
  if (request.wait === false) return startChild(beginning, parts);
  return running.runChild(async () => {
    signal.throwIfAborted();
    const lease = newLease(parts);
    const described = await beginChild(beginning, lease, parts);
    tell(described.held.turn);
    return goOn(described, { lease, isNew: true, site, ears, parent: running.turn }, parts);
  });
}

/** The sub-agent has a call of its own, which any process can make again. */
async function startChild(beginning: Beginning, parts: RunsParts): Promise<SpawnOutcome> {
  const { running, site } = beginning;
  const begun = Promise.withResolvers<TurnRecord>();
  const run = async () => {
    site.signal.throwIfAborted();
    // Held by nobody: that call takes it.
    const { held } = await beginChild(beginning, { ...newLease(parts), until: parts.clock.now() }, parts);
    begun.resolve(held.turn);
    await callAgain(held.turn, parts);
  };
  running.inSlot(run).catch(begun.reject);
  return { kind: "begun", turn: await begun.promise };
}

const notInTurn = () =>
  new ToolwrightError("effect_refused", "Only an agent in its turn begins sub-agents. Run an agent, and let it do so.");

type Going = Pick<GoingOn, "site" | "ears">;

/** Goes on with a sub-agent that another run left. */
export async function takeChild(known: TurnRecord, going: Going, parts: RunsParts): Promise<TurnOutcome> {
  const { tenant, parent: id = "", background } = known;
  const parent = await parts.turns.get({ tenant, id });
  if (!parent) throw turnNotFound(id);
  const reason = whyOver(parent, known);
  if (reason !== undefined) await parts.turns.cancel(known, reason);
  const lease = newLease(parts);
  const now = background ? parts.clock.now() : afterLeases(parts);
  const held = await takeTurn(known, lease, { turns: parts.turns, now });
  const described = await withProfile(held, false, parts);
  const { principal } = described.held.turn;
  return goOn(described, { lease, isNew: false, ...going, parent: { ...parent, principal } }, parts);
}

/** A turn ends with the sub-agents that it waited for, and stops those in the background where it was stopped itself. */
export async function endChildren(parent: TurnRecord, going: Going, parts: RunsParts): Promise<void> {
  const { tenant, id, principal } = parent;
  for (const child of await parts.turns.list(tenant, { parents: [id], states: ["running", "waiting"] })) {
    const reason = whyOver(parent, child);
    if (reason === undefined) continue;
    await parts.engine.operate(principal, "turns.cancel", { id: child.id, reason });
    // One in the background ends in the call that runs it.
    if (child.background) continue;
    const lease = newLease(parts);
    const held = await parts.turns.take(child, lease, afterLeases(parts));
    if (held) await goOn(await withProfile(held, false, parts), { lease, isNew: false, ...going, parent }, parts);
  }
}

/** Who runs the parent has the sub-agent, too, whatever is left of the lease of a process that died. */
const afterLeases = ({ clock }: RunsParts) => clock.now() + turnLeaseMs;

interface Beginning {
  readonly request: SpawnRequest;
  readonly running: RunningTurn;
  readonly key: string;
  readonly site: RunSite;
}

async function beginChild(beginning: Beginning, lease: Lease, parts: RunsParts): Promise<DescribedTurn> {
  const { running } = beginning;
  const profile = await describeChild(beginning, parts);
  const leave = await running.beginning.enter();
  try {
    await checkRoom(running, parts);
    return { held: await storeChild(beginning, { profile, lease, parts }), profile };
  } finally {
    leave();
  }
}

interface Storing {
  readonly profile: AgentProfile;
  readonly lease: Lease;
  readonly parts: RunsParts;
}

async function storeChild({ request, running, key, site }: Beginning, { profile, lease, parts }: Storing): Promise<HeldTurn> {
  const { task, wait } = request;
  const { tenant, owner, principal, id: parent } = running.turn;
  const { agent } = profile;
  const conversation = keyedId("ses", key);
  await openConversation(conversation, { task, agent, principal, parts });
  await takeMarks(site, conversation, parts);
  const turn = {
    ...{ id: keyedId("trn", key), tenant, conversation, agent, principal, profile: toJson(profile), callId: site.callId, parent },
    ...{ createdAt: parts.clock.now(), ...(owner !== undefined && { owner }), ...(wait === false && { background: true }) },
  };
  const begun = await parts.turns.begin(turn, { role: "user", content: task }, lease);
  if (begun.kind === "queued") throw new ToolwrightError("call_lost", `Another process goes on with turn ${begun.turn.id}.`);
  noteTurn(begun.turn, { fact: "message", by: site.principal, data: { message: digest(task), parent } }, parts);
  return begun;
}

/** What the sub-agent is, and what it has from its parent. */
async function describeChild({ request, running, site }: Beginning, parts: RunsParts): Promise<AgentProfile> {
  const { agent, tools } = request;
  const { turn, profile } = running;
  const { tenant } = turn;
  if (tools) requireTools(tools, site, parts);
  if (agent === turn.agent)
    throw new ToolwrightError("effect_refused", `You are the agent ${agent} yourself. Do the work, or begin a sub-agent with task_spawn.`);
  if (agent !== undefined) await requireAccepting(tenant, agent, parts);
  const own = agent === undefined ? profile : await findProfile(tenant, agent, parts);
  await checkDay(tenant, own, parts);
  return { ...own, share: { limits: profile.limits, ...(tools && { tools }) } };
}

async function checkRoom(
  {
    turn: { tenant, id },
    profile: {
      limits: { subAgents },
    },
  }: RunningTurn,
  { turns }: RunsParts,
): Promise<void> {
  const before = await turns.list(tenant, { parents: [id], limit: subAgents });
  if (before.length < subAgents) return;
  const message = `This turn has begun ${subAgents} sub-agents, which is the most that one may. Do the rest yourself.`;
  throw new ToolwrightError("effect_refused", message);
}

interface Opening {
  readonly task: string;
  readonly agent: string;
  readonly principal: Principal;
  readonly parts: RunsParts;
}

async function openConversation(id: string, { task, agent, principal, parts }: Opening): Promise<void> {
  const { tenant } = principal;
  const { sessions, clock } = parts;
  if (await sessions.find({ tenant, id })) return;
  const at = clock.now();
  const made = { tenant, id, owner: sessionOwner(principal), agent, kind: "sub_agent", status: "open" as const };
  await sessions.create({ ...made, createdAt: at, usedAt: at, ...titleOf(task) });
}

/** Rejects names of tools that the caller does not have: a sub-agent with fewer than it was to get would go unnoticed. */
function requireTools(wanted: readonly string[], { principal, session }: RunSite, { engine }: RunsParts): void {
  const own = engine.scope(principal, { session }).list();
  const known = new Set(own.flatMap(({ name, group }) => [name, `group:${group}`]));
  const unknown = wanted.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const message = `You have no ${unknown.map((name) => JSON.stringify(name)).join(", ")}. Name tools that you have, or groups of them, such as group:fs.`;
  throw new ToolwrightError("invalid_input", message);
}
