import { type CallUsage, type Principal, type Scope, ToolwrightError } from "@toolwright/engine";
import {
  type ArtifactStore,
  type BegunTurn,
  type HeldTurn,
  isOpenTurn,
  type Lease,
  type SessionStore,
  type TurnRecord,
  turnNotFound,
} from "@toolwright/engine/ports";
import { type AgentProfile, findProfile, usualProfile } from "./agent/agent-profile.ts";
import { skillHarness } from "./agent/skill-harness.ts";
import { type Attached, keepAttachments, messageWith, readAttachments } from "./attachments/keep-attachments.ts";
import { endOpenTurn } from "./end-open-turn.ts";
import { toJson } from "./turn/stored-response.ts";
import { turnLeaseMs } from "./turn/turn-lease.ts";
import type { TurnOutcome, TurnParts } from "./turn/turn-parts.ts";

/** What a call of `agent_run` wants. */
export interface RunRequest extends Attached {
  readonly agent: string;
  readonly message: string;
  /** The conversation to go on with; a new one where it is left out. */
  readonly conversation?: string | null | undefined;
  /** Ends the turn that is open in the conversation, so that the message begins one. */
  readonly interrupt?: boolean | null | undefined;
  /** A turn that its process left, to go on with; the message is in the conversation already. */
  readonly turn?: string | null | undefined;
}

/** What `ctx.agents` gives. */
export interface AgentRuns {
  /**
   * Begins the turn of this call, or goes on with it, until it ends or waits for people. Rejects with `catalogue_not_found`, `session_not_found`
   * and `turn_not_found`.
   */
  run(request: RunRequest, spend: Spend): Promise<RunOutcome>;
}

type Spend = (usage: Omit<CallUsage, "models"> & { readonly model: string }) => void;

export type RunOutcome =
  | TurnOutcome
  /** Another turn of the conversation takes the message up. */
  | { readonly kind: "queued"; readonly turn: TurnRecord };

/** The call that a turn runs in. */
export interface RunSite {
  readonly callId: string;
  readonly principal: Principal;
  readonly signal: AbortSignal;
  readonly alive: () => void;
  readonly artifacts: ArtifactStore;
}

export interface RunsParts extends TurnParts {
  readonly sessions: SessionStore;
}

/** The turns that one call begins or goes on with. */
export function agentRuns(site: RunSite, parts: RunsParts): AgentRuns {
  return {
    async run(request, spend) {
      const holder = parts.ids.next("run");
      const lease = { holder, until: parts.clock.now() + turnLeaseMs };
      const known = await findTurn(request, site, parts);
      if (known && !isOpenTurn(known)) return { kind: "ended", turn: known };
      const held = known ? await takeTurn(known, lease, parts) : await beginTurn(request, { site, lease, parts });
      return "kind" in held && held.kind === "queued" ? held : goOn(held as HeldTurn, { holder, isNew: !known, site, spend, parts });
    },
  };
}

interface GoingOn {
  readonly holder: string;
  readonly isNew: boolean;
  readonly site: RunSite;
  readonly spend: Spend;
  readonly parts: RunsParts;
}

async function goOn(held: HeldTurn, { holder, isNew, site, spend, parts }: GoingOn): Promise<TurnOutcome> {
  const { turn, profile } = await withProfile(held, isNew, parts);
  // Loaded with the first turn: most processes never have one.
  const { runTurn } = await import("./turn/run-turn.ts");
  // What an earlier run spent is no call's yet.
  const { models: [model] = [], ...spent } = turn.usage;
  if (model !== undefined) spend({ model, ...spent });
  const scope = scopeOf(turn, profile, parts);
  return runTurn(
    { held: { ...held, turn }, holder, isNew, profile, site: { scope, signal: site.signal, alive: site.alive, spend } },
    parts,
  );
}

/**
 * A turn goes on as it began, whatever its agent is now. Nothing answers for an agent that is gone: its turn is to end, so that calls of it get a
 * result and its conversation is whole.
 */
async function withProfile(
  { turn, profile }: HeldTurn,
  isNew: boolean,
  parts: RunsParts,
): Promise<{ readonly turn: TurnRecord; readonly profile: AgentProfile }> {
  const { tenant, agent } = turn;
  const begun = profile as unknown as AgentProfile | undefined;
  if (isNew && begun) return { turn, profile: begun };
  try {
    const now = await findProfile(tenant, agent, parts);
    return { turn, profile: begun ?? now };
  } catch (error) {
    if (!ToolwrightError.is(error) || error.code !== "catalogue_not_found") throw error;
    return { turn: (await parts.turns.cancel(turn, `There is no agent ${agent} any more.`)) ?? turn, profile: usualProfile(agent) };
  }
}

/** The turn of this very call, which began it before, or the one that the caller names. */
async function findTurn({ turn }: RunRequest, { callId, principal }: RunSite, { turns }: RunsParts): Promise<TurnRecord | undefined> {
  const { tenant } = principal;
  const found = await turns.get({ tenant, id: turn ?? turnIdOf(callId) });
  if (turn === undefined || turn === null) return found;
  if (found && isSameCaller(found.principal, principal)) return found;
  throw turnNotFound(turn);
}

/** The turn that a call of `agent_run` begins. */
export const turnIdOf = (callId: string) => callId.replace(/^[a-z]+_/, "trn_");

function isSameCaller(one: Principal, other: Principal): boolean {
  return (
    one.actor.kind === other.actor.kind &&
    one.actor.id === other.actor.id &&
    one.agent === other.agent &&
    one.onBehalfOf === other.onBehalfOf
  );
}

async function takeTurn(known: TurnRecord, lease: Lease, { turns, clock }: RunsParts): Promise<HeldTurn> {
  const held = await turns.take(known, lease, clock.now());
  if (held) return held;
  const message = `Another process goes on with turn ${known.id}. Read how it ended with turns.get.`;
  throw new ToolwrightError("call_lost", message);
}

interface Beginning {
  readonly site: RunSite;
  readonly lease: Lease;
  readonly parts: RunsParts;
}

async function beginTurn(request: RunRequest, { site, lease, parts }: Beginning): Promise<BegunTurn> {
  const { agent, message, conversation, interrupt } = request;
  const { callId, principal, artifacts } = site;
  const { tenant } = principal;
  // Before anything is stored.
  const profile = toJson(await findProfile(tenant, agent, parts));
  const attached = await readAttachments(request, tenant, artifacts);
  const session = conversation ?? (await openConversation(agent, { message, principal, parts }));
  if (conversation) await requireConversation(conversation, agent, { principal, parts });
  const kept = await keepAttachments(attached, { tenant, session, callId }, artifacts);
  if (interrupt) await endOpenTurn(session, site, parts);
  const owner = personOf(principal);
  const turn = {
    ...{ id: turnIdOf(callId), tenant, conversation: session, agent, principal, profile, callId, createdAt: parts.clock.now() },
    ...(owner !== undefined && { owner }),
  };
  return parts.turns.begin(turn, messageWith(message, kept), lease);
}

const personOf = ({ actor, onBehalfOf }: Principal) => onBehalfOf ?? (actor.kind === "user" ? actor.id : undefined);

const longestTitle = 80;

interface Opening {
  readonly message: string;
  readonly principal: Principal;
  readonly parts: RunsParts;
}

async function openConversation(agent: string, { message, principal, parts }: Opening): Promise<string> {
  const id = parts.ids.next("ses");
  const at = parts.clock.now();
  const owner = personOf(principal);
  const [line = ""] = message.trim().split("\n", 1);
  const title = line.length > longestTitle ? `${line.slice(0, longestTitle - 1)}…` : line;
  const made = { tenant: principal.tenant, id, owner, agent, kind: "chat", status: "open" as const, createdAt: at, usedAt: at };
  await parts.sessions.create(title === "" ? made : { ...made, title });
  return id;
}

/** Rejects with `session_not_found` for one that is somebody else's, is no conversation, or is another agent's. */
async function requireConversation(id: string, agent: string, { principal, parts }: Omit<Opening, "message">): Promise<void> {
  const found = await parts.engine.operate(principal, "sessions.get", { id });
  if (found.kind === "chat" && found.agent === agent) return;
  const message = `The session ${JSON.stringify(id)} is no conversation with ${agent}. Leave conversation out to begin one.`;
  throw new ToolwrightError("session_not_found", message);
}

/** As whoever asked, in the name of the agent and with no more rights. An agent begins no turns: sub-agents have tools of their own. */
function scopeOf({ agent, conversation, principal }: TurnRecord, { hasSkills }: AgentProfile, { engine }: RunsParts): Scope {
  const admitted = { ...principal, harness: hasSkills ? [skillHarness] : [] };
  const child = engine.scope(admitted).child({ agent, deny: { tools: ["agent_run"] } });
  return engine.scope({ ...child.principal, runtime: principal.runtime ?? "chat" }, { session: conversation });
}
