import { type Principal, type Runtime, ToolwrightError } from "@toolwright/engine";
import { sessionOwner } from "@toolwright/engine/operations";
import { type BegunTurn, digest, isOpenTurn, type Lease, type TurnRecord } from "@toolwright/engine/ports";
import { findProfile } from "./agent/agent-profile.ts";
import { checkDay } from "./agent/check-day.ts";
import { type Attached, keepAttachments, messageWith, readAttachments, requireContent } from "./attachments/keep-attachments.ts";
import {
  findTurn,
  goOn,
  newLease,
  personOf,
  type RunEars,
  type RunSite,
  type RunsParts,
  takeOwnTurn,
  takeTurn,
  titleOf,
  withProfile,
} from "./go-on.ts";
import { findOwnTurn } from "./own-turn.ts";
import { RunningTurn, type RunningTurns } from "./running-turns.ts";
import { endChildren, type SpawnOutcome, type SpawnRequest, spawn, takeChild } from "./sub-agents.ts";
import { takeMarks } from "./take-marks.ts";
import { toJson } from "./turn/stored-response.ts";
import { noteTurn } from "./turn/turn-log.ts";
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
  run(request: RunRequest, ears: RunEars): Promise<RunOutcome>;
  /**
   * Runs a sub-agent of the turn that makes this call; one in the background only begins. Rejects with `catalogue_not_found`, and with `effect_refused` outside a turn, for an
   * agent that accepts no agents, and beyond the limit.
   */
  spawn(request: SpawnRequest, ears: RunEars): Promise<SpawnOutcome>;
}

export type RunOutcome =
  | TurnOutcome
  /** Another turn of the conversation takes the message up. */
  | { readonly kind: "queued"; readonly turn: TurnRecord };

/** The turns that one call begins or goes on with. */
export function agentRuns(site: RunSite, parts: RunsParts, turns: RunningTurns): AgentRuns {
  return {
    async run(request, ears) {
      const { id, turn: known } = await (request.turn ? findTurn(request.turn, site, parts) : findOwnTurn(site, parts));
      if (known && !isOpenTurn(known)) return { kind: "ended", turn: known };
      if (known?.parent !== undefined) return takeChild(known, { site, ears }, parts);
      const isNew = known === undefined;
      const lease = newLease(parts);
      const begun = known ? await takeKnown(known, request, { site, lease, parts }) : await beginTurn(request, { id, site, lease, parts });
      if (begun.kind !== "begun") return begun;
      const described = await withProfile(begun, isNew, parts);
      const running = new RunningTurn(described.held.turn, described.profile, site.alive);
      const outcome = await turns.during(running, () =>
        goOn(described, { lease, isNew, site, ears, hearers: running.hearers, meter: running.meter }, parts),
      );
      const hadChildren = await running.childrenEnd();
      if (outcome.kind === "ended" && (hadChildren || !isNew)) await endChildren(outcome.turn, { site, ears }, parts);
      return outcome;
    },
    spawn: (request, ears) => spawn(request, { site, ears, turns }, parts),
  };
}

interface Beginning {
  /** Id of the turn. */
  readonly id: string;
  readonly site: RunSite;
  readonly lease: Lease;
  readonly parts: RunsParts;
}

/** A turn that the request names is taken at once, or the call fails. The turn of this very call is waited for while another process runs it. */
async function takeKnown(known: TurnRecord, { turn }: RunRequest, { site, lease, parts }: Omit<Beginning, "id">) {
  const { turns, clock } = parts;
  const held = turn ? await takeTurn(known, lease, { turns, now: clock.now() }) : await takeOwnTurn(known, { site, lease }, parts);
  if (held) return { kind: "begun" as const, ...held };
  return { kind: "ended" as const, turn: (await turns.get(known)) ?? known };
}

async function beginTurn(request: RunRequest, { id, site, lease, parts }: Beginning): Promise<BegunTurn> {
  const { agent, message, conversation, interrupt } = request;
  const { callId, principal, artifacts } = site;
  const { tenant } = principal;
  // Before anything is stored.
  const profile = await findProfile(tenant, agent, parts);
  await checkDay(tenant, profile, parts);
  const attached = await readAttachments(request, tenant, artifacts);
  requireContent(message, attached);
  const opening = { message, principal, parts };
  if (typeof conversation === "string") await requireConversation(conversation, agent, opening);
  const session = conversation ?? (await openConversation(parts.ids.next("ses"), agent, opening));
  const kept = await keepAttachments(attached, { tenant, session, callId }, artifacts);
  if (interrupt) await endOpenTurn(session, site, parts);
  await takeMarks(site, session, parts);
  const owner = personOf(principal);
  const turn = {
    ...{ id, tenant, conversation: session, agent, principal, profile: toJson(profile), callId },
    createdAt: parts.clock.now(),
    ...(owner !== undefined && { owner }),
  };
  const begun = await parts.turns.begin(turn, messageWith(message, kept), lease);
  noteTurn(begun.turn, { fact: "message", by: principal, data: { message: digest(message), queued: begun.kind === "queued" } }, parts);
  return begun;
}

interface Opening {
  readonly message: string;
  readonly principal: Principal;
  readonly parts: RunsParts;
}

async function openConversation(id: string, agent: string, { message, principal, parts }: Opening): Promise<string> {
  const at = parts.clock.now();
  const made = {
    tenant: principal.tenant,
    id,
    owner: sessionOwner(principal),
    agent,
    kind: kindFor(principal).kind,
    status: "open" as const,
  };
  await parts.sessions.create({ ...made, createdAt: at, usedAt: at, ...titleOf(message) });
  return id;
}

interface ConversationKind {
  readonly kind: string;
  /** True where a conversation is named before there is one. */
  readonly isNamedFirst?: boolean;
}

/** The sessions of runtimes with conversations of their own, which nobody goes on with in another one. */
const conversationKinds: Partial<Record<Runtime, ConversationKind>> = {
  room: { kind: "room" },
  webhook: { kind: "webhook", isNamedFirst: true },
};

const kindFor = ({ runtime = "chat" }: Principal): ConversationKind => conversationKinds[runtime] ?? { kind: "chat" };

/** Rejects with `session_not_found` for one that is somebody else's, is no conversation, or is another agent's. */
async function requireConversation(id: string, agent: string, opening: Opening): Promise<void> {
  const { principal, parts } = opening;
  const { kind, isNamedFirst = false } = kindFor(principal);
  if (isNamedFirst && !(await parts.sessions.find({ tenant: principal.tenant, id })))
    await openConversation(id, agent, opening).catch(allowTaken);
  const found = await parts.engine.operate(principal, "sessions.get", { id });
  if (found.kind === kind && found.agent === agent) return;
  const message = `The session ${JSON.stringify(id)} is no conversation with ${agent}. Leave conversation out to begin one.`;
  throw new ToolwrightError("session_not_found", message);
}

/** Two messages may open a conversation at once. */
function allowTaken(error: unknown): void {
  if (!ToolwrightError.is(error) || error.code !== "session_refused") throw error;
}

/** Cancels the turn that is open in a conversation, where there is one. Resolves when it has ended; rejects when the call is to end. */
async function endOpenTurn(
  conversation: string,
  { principal, signal }: { readonly principal: Principal; readonly signal: AbortSignal },
  { turns, engine }: Pick<TurnParts, "turns" | "engine">,
): Promise<void> {
  const [open] = await turns.list(principal.tenant, { conversation, states: ["running", "waiting"], limit: 1 });
  if (!open) return;
  const { id, tenant, agent } = open;
  let wake = () => {};
  const onAbort = () => wake();
  const unfollow = turns.follow(tenant, (changed) => (changed ?? id) === id && wake());
  signal.addEventListener("abort", onAbort);
  try {
    await engine.operate(principal, "turns.cancel", { id, reason: "Another message took its place." });
    for (;;) {
      signal.throwIfAborted();
      const heard = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const turn = await turns.get(open);
      if (!turn || !isOpenTurn(turn)) return;
      // One that waits has no process, so it ends in this one, unless another takes it up first.
      const goOn = () => engine.scope(open.principal).invokeNamed("agent_run", { agent, message: "", turn: id, conversation });
      if (turn.state !== "waiting" || (await goOn()).status !== "done") await heard;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    unfollow();
  }
}
