import { type Principal, ToolwrightError } from "@toolwright/engine";
import { digest, type HeldTurn, isOpenTurn, type Lease, type TurnRecord, turnNotFound } from "@toolwright/engine/ports";
import { type AgentProfile, findProfile, requireAccepting } from "./agent/agent-profile.ts";
import {
  type GoingOn,
  goOn,
  newLease,
  personOf,
  type RunEars,
  type RunSite,
  type RunsParts,
  takeTurn,
  titleOf,
  withProfile,
} from "./go-on.ts";
import type { RunningTurn, RunningTurns } from "./running-turns.ts";
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
}

export interface Spawning {
  readonly site: RunSite;
  readonly ears: RunEars;
  readonly turns: RunningTurns;
}

/** Begins the sub-agent of this call, or goes on with it, until it ends or waits. */
export async function spawn(request: SpawnRequest, { site, ears, turns }: Spawning, parts: RunsParts): Promise<TurnOutcome> {
  const { key, session, principal, signal } = site;
  const { tenant, agent } = principal;
  const running = turns.find({ tenant, session });
  const known = key === undefined ? undefined : await parts.turns.get({ tenant, id: idOf("trn", key) });
  if (known && !isOpenTurn(known)) return { kind: "ended", turn: known };
  if (known) {
    const goOnWith = () => takeChild(known, { site, ears }, parts);
    return running ? running.runChild(goOnWith) : goOnWith();
  }
  // A call in the session of a turn that is not its agent's own is not that turn's.
  if (key === undefined || running === undefined || running.turn.agent !== agent) throw notInTurn();
  return running.runChild(() => {
    signal.throwIfAborted();
    return beginChild(request, { running, key, site, ears }, parts);
  });
}

const notInTurn = () =>
  new ToolwrightError("effect_refused", "Only an agent in its turn begins sub-agents. Run an agent, and let it do so.");

/** By the call that began it: one that is made again after its process died finds it. */
const idOf = (prefix: "trn" | "ses", key: string) => `${prefix}_${digest(key).slice(0, 32)}`;

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
  return goOn(await withProfile(held, false, parts), { lease, isNew: false, ...going, parent }, parts);
}

/** A turn ends with the sub-agents that it waited for, and stops those in the background where it was stopped itself. */
export async function endChildren(parent: TurnRecord, going: Going, parts: RunsParts): Promise<void> {
  const { tenant, id, principal } = parent;
  for (const child of await parts.turns.list(tenant, { parent: id, states: ["running", "waiting"] })) {
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
  readonly running: RunningTurn;
  readonly key: string;
  readonly site: RunSite;
  readonly ears: RunEars;
}

async function beginChild(request: SpawnRequest, { running, key, site, ears }: Beginning, parts: RunsParts): Promise<TurnOutcome> {
  const profile = await describeChild(request, running, parts);
  const lease = newLease(parts);
  const leave = await running.beginning.enter();
  const held = await storeChild(request.task, { running, key, site, profile, lease }, parts).finally(leave);
  return goOn({ held, profile }, { lease, isNew: true, site, ears, parent: running.turn }, parts);
}

interface Storing extends Omit<Beginning, "ears"> {
  readonly profile: AgentProfile;
  readonly lease: Lease;
}

async function storeChild(task: string, { running, key, site, profile, lease }: Storing, parts: RunsParts): Promise<HeldTurn> {
  await checkRoom(running, parts);
  const { tenant, owner, principal, id: parent } = running.turn;
  const { agent } = profile;
  const conversation = idOf("ses", key);
  await openConversation(conversation, { task, agent, principal, parts });
  const turn = {
    ...{ id: idOf("trn", key), tenant, conversation, agent, principal, profile: toJson(profile), callId: site.callId, parent },
    ...{ createdAt: parts.clock.now(), ...(owner !== undefined && { owner }) },
  };
  const begun = await parts.turns.begin(turn, { role: "user", content: task }, lease);
  if (begun.kind === "queued") throw new ToolwrightError("call_lost", `Another process goes on with turn ${begun.turn.id}.`);
  noteTurn(begun.turn, { fact: "message", by: site.principal, data: { message: digest(task), parent } }, parts);
  return begun;
}

/** What the sub-agent is, and what it has from its parent. */
async function describeChild({ agent, tools }: SpawnRequest, { turn, profile }: RunningTurn, parts: RunsParts): Promise<AgentProfile> {
  const share = { limits: profile.limits, ...(tools && { tools }) };
  if (agent === undefined) return { ...profile, share };
  await requireAccepting(turn.tenant, agent, parts);
  return { ...(await findProfile(turn.tenant, agent, parts)), share };
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
  const before = await turns.list(tenant, { parent: id, limit: subAgents });
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
  const made = { tenant, id, owner: personOf(principal), agent, kind: "sub_agent", status: "open" as const };
  await sessions.create({ ...made, createdAt: at, usedAt: at, ...titleOf(task) });
}
