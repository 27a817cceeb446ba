import { type Principal, type Scope, ToolwrightError } from "@toolwright/engine";
import { type BegunTurn, digest, isOpenTurn, type Lease, type TurnRecord } from "@toolwright/engine/ports";
import { findProfile } from "./agent/agent-profile.ts";
import { findTurn, goOn, newLease, personOf, type RunEars, type RunSite, type RunsParts, takeTurn, titleOf, turnIdOf } from "./go-on.ts";
import { type Slots, type SpawnRequest, spawn } from "./sub-agents.ts";
import { turnHarness } from "./turn/turn-harness.ts";
import { noteTurn } from "./turn/turn-log.ts";
import type { TurnOutcome } from "./turn/turn-parts.ts";

/** What a call of `agent_run` wants. */
export interface RunRequest {
  readonly agent: string;
  readonly message: string;
  /** The conversation to go on with; a new one where it is left out. */
  readonly conversation?: string | null | undefined;
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
   * The same for a sub-agent of the turn that makes this call. Rejects with `catalogue_not_found`, and with `effect_refused` outside a turn, for an
   * agent that accepts no agents, and beyond the limit.
   */
  spawn(request: SpawnRequest, ears: RunEars): Promise<TurnOutcome>;
}

export type RunOutcome =
  | TurnOutcome
  /** Another turn of the conversation takes the message up. */
  | { readonly kind: "queued"; readonly turn: TurnRecord };

/** The turns that one call begins or goes on with. */
export function agentRuns(site: RunSite, parts: RunsParts, slots: Slots): AgentRuns {
  return {
    async run(request, ears) {
      const lease = newLease(parts);
      const known = await findTurn(request.turn, site, parts);
      if (known && !isOpenTurn(known)) return { kind: "ended", turn: known };
      const held: BegunTurn = known
        ? { kind: "begun", ...(await takeTurn(known, lease, parts)) }
        : await beginTurn(request, { site, lease, parts });
      if (held.kind === "queued") return held;
      return goOn(held, { lease, isNew: !known, site, ears, scope: scopeOf(held.turn, parts) }, parts);
    },
    spawn: (request, ears) => spawn(request, { site, ears, slots }, parts),
  };
}

interface Beginning {
  readonly site: RunSite;
  readonly lease: Lease;
  readonly parts: RunsParts;
}

async function beginTurn({ agent, message, conversation }: RunRequest, { site, lease, parts }: Beginning): Promise<BegunTurn> {
  const { callId, principal } = site;
  const { tenant } = principal;
  // Before anything is stored.
  await findProfile(tenant, agent, parts.agents);
  const session = conversation ?? (await openConversation(agent, { message, principal, parts }));
  if (conversation) await requireConversation(conversation, agent, { principal, parts });
  const owner = personOf(principal);
  const turn = {
    ...{ id: turnIdOf(callId), tenant, conversation: session, agent, principal, callId, createdAt: parts.clock.now() },
    ...(owner !== undefined && { owner }),
  };
  const begun = await parts.turns.begin(turn, { role: "user", content: message }, lease);
  noteTurn(begun.turn, { fact: "message", by: principal, data: { message: digest(message), queued: begun.kind === "queued" } }, parts);
  return begun;
}

interface Opening {
  readonly message: string;
  readonly principal: Principal;
  readonly parts: RunsParts;
}

async function openConversation(agent: string, { message, principal, parts }: Opening): Promise<string> {
  const id = parts.ids.next("ses");
  const at = parts.clock.now();
  const made = { tenant: principal.tenant, id, owner: personOf(principal), agent, kind: "chat", status: "open" as const };
  await parts.sessions.create({ ...made, createdAt: at, usedAt: at, ...titleOf(message) });
  return id;
}

/** Rejects with `session_not_found` for one that is somebody else's, is no conversation, or is another agent's. */
async function requireConversation(id: string, agent: string, { principal, parts }: Omit<Opening, "message">): Promise<void> {
  const found = await parts.engine.operate(principal, "sessions.get", { id });
  if (found.kind === "chat" && found.agent === agent) return;
  const message = `The session ${JSON.stringify(id)} is no conversation with ${agent}. Leave conversation out to begin one.`;
  throw new ToolwrightError("session_not_found", message);
}

/** As whoever asked, in the name of the agent and with no more rights. What it begins are sub-agents, and no turns of their own. */
function scopeOf({ agent, conversation, principal }: TurnRecord, { engine }: RunsParts): Scope {
  const harness = [...(principal.harness ?? []), turnHarness];
  const child = engine.scope({ ...principal, harness }).child({ agent, deny: { tools: ["agent_run"] } });
  return engine.scope({ ...child.principal, runtime: principal.runtime ?? "chat" }, { session: conversation });
}
