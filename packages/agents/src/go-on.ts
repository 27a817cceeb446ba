import { type CallUsage, type Principal, type Scope, ToolwrightError } from "@toolwright/engine";
import { type HeldTurn, type Lease, type SessionStore, type TurnRecord, turnNotFound } from "@toolwright/engine/ports";
import { type AgentLimits, type AgentProfile, findProfile, usualProfile } from "./agent/agent-profile.ts";
import { turnLeaseMs } from "./turn/turn-lease.ts";
import type { TurnOutcome, TurnParts } from "./turn/turn-parts.ts";

/** The call that a turn runs in. */
export interface RunSite {
  readonly callId: string;
  /** It has the same one when it is made again. */
  readonly key: string | undefined;
  readonly principal: Principal;
  readonly session: string;
  readonly signal: AbortSignal;
  readonly alive: () => void;
}

/** Where a call's handler hears what the agent says and takes. */
export interface RunEars {
  readonly spend: (usage: Omit<CallUsage, "models"> & { readonly model: string }) => void;
  readonly say?: ((text: string) => void) | undefined;
}

export interface RunsParts extends TurnParts {
  readonly sessions: SessionStore;
}

export interface GoingOn {
  readonly lease: Lease;
  /** False for one that another run left. */
  readonly isNew: boolean;
  readonly site: RunSite;
  readonly ears: RunEars;
  /** Of the agent. */
  readonly scope: Scope;
  /** Of a sub-agent: those of the turn that began it. */
  readonly shared?: AgentLimits;
}

/** Runs a turn that is held, until it ends or waits. */
export async function goOn(held: HeldTurn, { lease, isNew, site, ears, scope, shared }: GoingOn, parts: RunsParts): Promise<TurnOutcome> {
  const { turn, profile } = await withProfile(held.turn, parts);
  // Loaded with the first turn: most processes never have one.
  const { runTurn } = await import("./turn/run-turn.ts");
  // What an earlier run spent is no call's yet.
  const { models: [model] = [], ...spent } = turn.usage;
  if (model !== undefined) ears.spend({ model, ...spent });
  const { signal, alive } = site;
  const options = { held: { ...held, turn }, holder: lease.holder, isNew, profile, shared: shared ?? profile.limits };
  return runTurn({ ...options, site: { scope, signal, alive, ...ears } }, parts);
}

/** Nothing answers for an agent that is gone: its turn is to end, so that calls of it get a result and its conversation is whole. */
export async function withProfile(
  turn: TurnRecord,
  { agents, turns }: RunsParts,
): Promise<{ readonly turn: TurnRecord; readonly profile: AgentProfile }> {
  const { tenant, agent } = turn;
  try {
    return { turn, profile: await findProfile(tenant, agent, agents) };
  } catch (error) {
    if (!ToolwrightError.is(error) || error.code !== "catalogue_not_found") throw error;
    return { turn: (await turns.cancel(turn, `There is no agent ${agent} any more.`)) ?? turn, profile: usualProfile(agent) };
  }
}

export function newLease({ ids, clock }: RunsParts): Lease {
  return { holder: ids.next("run"), until: clock.now() + turnLeaseMs };
}

/** The turn that a call begins. */
export const turnIdOf = (callId: string) => callId.replace(/^[a-z]+_/, "trn_");

/** The turn of this very call, which began it before, or the one that the caller names. */
export async function findTurn(
  named: string | null | undefined,
  { callId, principal }: RunSite,
  { turns }: RunsParts,
): Promise<TurnRecord | undefined> {
  const { tenant } = principal;
  const found = await turns.get({ tenant, id: named ?? turnIdOf(callId) });
  if (named === undefined || named === null) return found;
  if (found && isSameCaller(found.principal, principal)) return found;
  throw turnNotFound(named);
}

function isSameCaller(one: Principal, other: Principal): boolean {
  return (
    one.actor.kind === other.actor.kind &&
    one.actor.id === other.actor.id &&
    one.agent === other.agent &&
    one.onBehalfOf === other.onBehalfOf
  );
}

export async function takeTurn(known: TurnRecord, lease: Lease, { turns, clock }: RunsParts): Promise<HeldTurn> {
  const held = await turns.take(known, lease, clock.now());
  if (held) return held;
  const message = `Another process goes on with turn ${known.id}. Read how it ended with turns.get.`;
  throw new ToolwrightError("call_lost", message);
}

export const personOf = ({ actor, onBehalfOf }: Principal) => onBehalfOf ?? (actor.kind === "user" ? actor.id : undefined);

const longestTitle = 80;

/** What a conversation is called in lists: the first line of what it began with. */
export function titleOf(message: string): { readonly title?: string } {
  const [line = ""] = message.trim().split("\n", 1);
  const title = line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line;
  return title === "" ? {} : { title };
}
