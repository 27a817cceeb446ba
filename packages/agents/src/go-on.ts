import { type CallUsage, type Principal, type Scope, ToolwrightError } from "@toolwright/engine";
import {
  type ArtifactStore,
  admitHarness,
  type ForeignMarks,
  type HeldTurn,
  isOpenTurn,
  type Lease,
  type NetworkRules,
  pause,
  type SessionStore,
  type TurnRecord,
  turnNotFound,
} from "@toolwright/engine/ports";
import { type AgentProfile, findProfile, usualLimits, usualProfile } from "./agent/agent-profile.ts";
import { skillHarness } from "./agent/skill-harness.ts";
import type { OwnTurn } from "./own-turn.ts";
import { turnHarness } from "./turn/turn-harness.ts";
import { turnLeaseMs } from "./turn/turn-lease.ts";
import type { ChildHearers, TurnMeter, TurnOutcome, TurnParts } from "./turn/turn-parts.ts";
import { TurnSeal } from "./turn/turn-seal.ts";

/** The call that a turn runs in. */
export interface RunSite {
  readonly callId: string;
  readonly tool: string;
  /** It has the same one when it is made again. */
  readonly key: string | undefined;
  readonly principal: Principal;
  readonly session: string;
  readonly network: NetworkRules;
  readonly signal: AbortSignal;
  readonly alive: () => void;
  readonly artifacts: ArtifactStore;
}

/** Where a call's handler hears what the agent says and takes. */
export interface RunEars {
  readonly spend: (usage: Omit<CallUsage, "models"> & { readonly model: string }) => void;
  readonly say?: ((text: string) => void) | undefined;
  /** Hears why nothing comes for a while. */
  readonly tell?: ((message: string, steps: number) => void) | undefined;
}

export interface RunsParts extends TurnParts {
  readonly sessions: SessionStore;
  /** Without it, what the session of a caller has read does not count for the turns that it begins. */
  readonly foreign?: ForeignMarks | undefined;
}

/** A turn that is held, and what its agent is. */
export interface DescribedTurn {
  readonly held: HeldTurn;
  readonly profile: AgentProfile;
}

export interface GoingOn {
  readonly lease: Lease;
  /** False for one that another run left. */
  readonly isNew: boolean;
  readonly site: RunSite;
  readonly ears: RunEars;
  /** The turn that began a sub-agent. */
  readonly parent?: TurnRecord | undefined;
  /** Who hears of sub-agents; undefined in a turn that begins none. */
  readonly hearers?: ChildHearers | undefined;
  readonly meter?: TurnMeter | undefined;
}

/** Runs a turn until it ends or waits. */
export async function goOn(
  { held, profile }: DescribedTurn,
  { lease, isNew, site, ears, parent, hearers, meter }: GoingOn,
  parts: RunsParts,
): Promise<TurnOutcome> {
  const { turn } = held;
  // Loaded with the first turn: most processes never have one.
  const { runTurn } = await import("./turn/run-turn.ts");
  // What an earlier run spent is no call's yet.
  const { models: [model] = [], ...spent } = turn.usage;
  if (model !== undefined) ears.spend({ model, ...spent });
  const scope = parent ? childScope(parent, profile, parts) : rootScope(turn, profile, parts);
  const { network, signal, alive } = site;
  const seal = new TurnSeal(turn, scope, parts.engine.sealing);
  const about = { held: await seal.openHeld(held), holder: lease.holder, isNew, profile };
  return runTurn({ ...about, site: { scope, seal, network, signal, alive, hearers, meter, ...ears } }, parts);
}

/**
 * A turn goes on with the agent as it was when the turn began, and with what is left of the rights of who asked. When the agent was removed since,
 * or nobody is left, the turn is cancelled: each of its calls gets a result, and its conversation stays whole.
 */
export async function withProfile(held: HeldTurn, isNew: boolean, parts: RunsParts): Promise<DescribedTurn> {
  const { turn, profile } = held;
  const { tenant, agent } = turn;
  const begun = profile as unknown as AgentProfile | undefined;
  if (isNew && begun) return { held, profile: begun };
  try {
    const now = await findProfile(tenant, agent, parts);
    const { limits, ...rest } = begun ?? now;
    // A version that knew fewer limits may have begun it.
    const profile = { ...rest, limits: { ...usualLimits, ...limits } };
    return { held: { ...held, turn: await withStanding(turn, parts) }, profile };
  } catch (error) {
    if (!ToolwrightError.is(error) || error.code !== "catalogue_not_found") throw error;
    const cancelled = await parts.turns.cancel(turn, `Agent ${agent} was deleted.`);
    return { held: { ...held, turn: cancelled ?? turn }, profile: usualProfile(agent) };
  }
}

async function withStanding(turn: TurnRecord, { turns, standingOf }: RunsParts): Promise<TurnRecord> {
  const standing = await standingOf?.(turn.principal);
  if (!standing) return turn;
  if ("gone" in standing) return (await turns.cancel(turn, standing.gone)) ?? turn;
  return { ...turn, principal: standing.principal };
}

/** What it begins are sub-agents, and no turns of their own. It has what its runtime admits, and no sub-agent has that. */
function rootScope(turn: TurnRecord, { hasSkills }: AgentProfile, parts: RunsParts): Scope {
  const { harness = [] } = turn.principal;
  return agentScope(turn, [...harness, turnHarness, ...(hasSkills ? [skillHarness] : [])], parts);
}

/** Less than its parent's: within the tools that it is given, and without sub-agents of its own. */
function childScope(parent: TurnRecord, { agent, hasSkills, share }: AgentProfile, parts: RunsParts): Scope {
  const tools = share?.tools && { tools: [...share.tools, "group:skills"] };
  const { principal, session } = agentScope(parent, [], parts).child({
    ...{ agent, deny: { tools: ["group:agents"] } },
    ...(tools && { assignment: tools }),
  });
  return parts.engine.scope(admitHarness(principal, hasSkills ? [skillHarness] : []), { session });
}

/** The scope of the turn's agent: it acts for the caller and has no right that the caller lacks. `harness`: the harness tools that the turn admits. */
function agentScope({ agent, conversation, principal }: TurnRecord, harness: readonly string[], { engine }: RunsParts): Scope {
  const child = engine.scope(principal).child({ agent, deny: { tools: ["agent_run"] } });
  return engine.scope(admitHarness({ ...child.principal, runtime: principal.runtime ?? "chat" }, harness), { session: conversation });
}

export function newLease({ ids, clock }: RunsParts): Lease {
  return { holder: ids.next("run"), until: clock.now() + turnLeaseMs };
}

/** The turn that the caller names. Rejects with `turn_not_found`. */
export async function findTurn(id: string, { principal }: Pick<RunSite, "principal">, { turns }: RunsParts): Promise<OwnTurn> {
  const found = await turns.get({ tenant: principal.tenant, id });
  // Only its parent goes on with a sub-agent that it waits for.
  const isOwn = found && isSameCaller(found.principal, principal) && (found.parent === undefined || found.background);
  if (isOwn) return { id, turn: found };
  throw turnNotFound(id);
}

function isSameCaller(one: Principal, other: Principal): boolean {
  return (
    one.actor.kind === other.actor.kind &&
    one.actor.id === other.actor.id &&
    one.agent === other.agent &&
    one.onBehalfOf === other.onBehalfOf
  );
}

/** `now`: leases that are over by then hold nobody back. */
export async function takeTurn(known: TurnRecord, lease: Lease, { turns, now }: Pick<RunsParts, "turns"> & { readonly now: number }) {
  const held = await turns.take(known, lease, now);
  if (held) return held;
  const message = `Another process goes on with turn ${known.id}. Read how it ended with turns.get.`;
  throw new ToolwrightError("call_lost", message);
}

interface OwnTaking {
  readonly site: Pick<RunSite, "alive" | "signal">;
  readonly lease: Lease;
}

/** Waits while another process goes on with it. Undefined when it has ended. */
export async function takeOwnTurn(
  known: TurnRecord,
  { site, lease }: OwnTaking,
  { turns, clock }: RunsParts,
): Promise<HeldTurn | undefined> {
  for (;;) {
    const now = clock.now();
    const held = await turns.take(known, { ...lease, until: now + turnLeaseMs }, now);
    if (held) return held;
    const found = await turns.get(known);
    if (!found || !isOpenTurn(found)) return undefined;
    site.alive();
    await pause(turnLeaseMs / 3, clock, site.signal);
    site.signal.throwIfAborted();
  }
}

export const personOf = ({ actor, onBehalfOf }: Principal) => onBehalfOf ?? (actor.kind === "user" ? actor.id : undefined);

const longestTitle = 80;

/** What a conversation is called in lists: the first line of what it began with. */
export function titleOf(message: string): { readonly title?: string } {
  const [line = ""] = message.trim().split("\n", 1);
  const title = line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line;
  return title === "" ? {} : { title };
}
