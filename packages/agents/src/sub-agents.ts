import { type Principal, type Scope, ToolwrightError } from "@toolwright/engine";
import { digest, type HeldTurn, isOpenTurn, type Lease, type TurnRecord } from "@toolwright/engine/ports";
import { type AgentLimits, requireAccepting } from "./agent/agent-profile.ts";
import { goOn, newLease, personOf, type RunEars, type RunSite, type RunsParts, takeTurn, titleOf, turnIdOf, withProfile } from "./go-on.ts";
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
  readonly slots: Slots;
}

/** Begins the sub-agent of this call, or goes on with it, until it ends or waits. */
export async function spawn(request: SpawnRequest, { site, ears, slots }: Spawning, parts: RunsParts): Promise<TurnOutcome> {
  const known = await findChild(site, parts);
  if (known && !isOpenTurn(known)) return { kind: "ended", turn: known };
  const parent = await findParent(known, site, parts);
  const { limits } = (await withProfile(parent, parts)).profile;
  const leave = await slots.enter(parent.id, limits.childrenAtOnce);
  try {
    const lease = newLease(parts);
    const child = { parent, lease, parts };
    const held = known ? await takeChild(known, child) : await beginChild(request, { ...child, limits, site, slots });
    const scope = childScope(held.turn, { tools: request.tools ?? undefined, session: site.session, parts });
    return await goOn(held, { lease, isNew: !known, site, ears, scope, shared: limits }, parts);
  } finally {
    leave();
  }
}

/** The conversation of a sub-agent, by the call that began it: one that is made again after its process died finds it. */
const conversationOf = (key: string) => `ses_${digest(key).slice(0, 32)}`;

async function findChild({ callId, key, principal: { tenant } }: RunSite, { turns }: RunsParts): Promise<TurnRecord | undefined> {
  const own = await turns.get({ tenant, id: turnIdOf(callId) });
  if (own || key === undefined) return own;
  return (await turns.list(tenant, { conversation: conversationOf(key), limit: 1 })).at(0);
}

/** The turn that makes the call: of the same agent, in the session of the call. */
async function findParent(known: TurnRecord | undefined, { principal, session }: RunSite, { turns }: RunsParts): Promise<TurnRecord> {
  const { tenant, agent } = principal;
  const [open] = known ? [] : await turns.list(tenant, { conversation: session, states: ["running"], limit: 1 });
  const found = known?.parent === undefined ? open : await turns.get({ tenant, id: known.parent });
  if (found && found.agent === agent) return found;
  throw new ToolwrightError("effect_refused", "Only an agent in its turn begins sub-agents. Run an agent, and let it do so.");
}

interface Child {
  readonly parent: TurnRecord;
  readonly lease: Lease;
  readonly parts: RunsParts;
}

async function takeChild(known: TurnRecord, { parent, lease, parts }: Child): Promise<HeldTurn> {
  const reason = whyOver(parent);
  if (reason !== undefined) await parts.turns.cancel(known, reason);
  return takeTurn(known, lease, parts);
}

interface Beginning extends Child, Pick<Spawning, "site" | "slots"> {
  readonly limits: AgentLimits;
}

async function beginChild(
  { task, agent: wanted }: SpawnRequest,
  { parent, limits, site, lease, slots, parts }: Beginning,
): Promise<HeldTurn> {
  const { callId, key = callId, principal } = site;
  const { tenant } = principal;
  const agent = wanted ?? parent.agent;
  if (wanted !== undefined) await requireAccepting(tenant, wanted, parts.agents);
  // One after the other, so that each sees those before it.
  const leave = await slots.enter(`begin ${parent.id}`, 1);
  try {
    await checkRoom(parent, limits, parts);
    const conversation = conversationOf(key);
    await openConversation(conversation, { task, agent, principal, parts });
    const owner = personOf(principal);
    const turn = {
      ...{ id: turnIdOf(callId), tenant, conversation, agent, principal, callId, parent: parent.id, createdAt: parts.clock.now() },
      ...(owner !== undefined && { owner }),
    };
    const begun = await parts.turns.begin(turn, { role: "user", content: task }, lease);
    noteTurn(begun.turn, { fact: "message", by: principal, data: { message: digest(task), parent: parent.id } }, parts);
    if (begun.kind === "begun") return begun;
    throw new ToolwrightError("call_lost", `Another process goes on with turn ${begun.turn.id}.`);
  } finally {
    leave();
  }
}

async function checkRoom({ tenant, id }: TurnRecord, { children }: AgentLimits, { turns }: RunsParts): Promise<void> {
  const before = await turns.list(tenant, { parent: id, limit: children });
  if (before.length < children) return;
  const message = `This turn has begun ${children} sub-agents, which is the most that one may. Do the rest yourself.`;
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

interface ChildSite {
  readonly tools: readonly string[] | undefined;
  readonly session: string;
  readonly parts: RunsParts;
}

/** Less than its parent's: within the tools that it is given, without what belongs to a turn, and without sub-agents of its own. */
function childScope({ agent, principal }: TurnRecord, { tools, session, parts: { engine } }: ChildSite): Scope {
  const child = engine.scope(principal).child({ agent, deny: { tools: ["group:agents"] }, ...(tools && { assignment: { tools } }) });
  return engine.scope({ ...child.principal, harness: [] }, { session });
}

/** Lets so many run at once in this process; the others wait. */
export class Slots {
  readonly #busy = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  /** Resolves to what lets the next one in. */
  async enter(what: string, most: number): Promise<() => void> {
    const place = this.#busy.get(what) ?? { running: 0, waiting: [] };
    this.#busy.set(what, place);
    if (place.running >= most) await new Promise<void>((resolve) => place.waiting.push(resolve));
    else place.running += 1;
    return () => {
      const next = place.waiting.shift();
      if (next) return next();
      place.running -= 1;
      if (place.running === 0) this.#busy.delete(what);
    };
  }
}
