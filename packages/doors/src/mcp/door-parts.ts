import type { ClientCapabilities, Server, ServerContext } from "@modelcontextprotocol/server";
import {
  type Clock,
  createRandomIds,
  type Ids,
  type Logger,
  type Principal,
  type Scope,
  silentLogger,
  systemClock,
} from "@toolwright/engine";
import { Conversations } from "./call/conversations.ts";
import type { McpServing } from "./door-options.ts";
import { createStateSeal, type StateSeal } from "./request-state.ts";

/** Who a request comes from, and the engine session it belongs to. */
export interface Caller {
  readonly principal: Principal;
  readonly session: string;
}

/** What the handlers of one door share. */
export interface DoorParts {
  readonly serving: McpServing;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly answerTtlMs: number;
  readonly seal: StateSeal;
  readonly conversations: Conversations;
  callerOf(ctx: ServerContext): Caller;
  /** `interactive`: the client can ask its person now. */
  scopeOf(ctx: ServerContext, facts?: { readonly interactive: boolean }): Scope;
  /** What the client of a session declared; a 2026-07-28 request carries its own in the envelope. */
  capabilitiesOf(ctx: ServerContext, server: Server): ClientCapabilities | undefined;
}

const defaultAnswerTtlMs = 10 * 60_000;
/** Calls that wait for their clients: 2500 for a tenant, 625 for a caller. */
const maxWaiting = 10_000;

export function createDoorParts(serving: McpServing, callerOf: DoorParts["callerOf"]): DoorParts {
  const { clock = systemClock, ids = createRandomIds(), logger = silentLogger, answerTtlMs = defaultAnswerTtlMs } = serving;
  return {
    serving,
    clock,
    ids,
    logger,
    answerTtlMs,
    seal: createStateSeal({ key: serving.stateKey, ttlMs: answerTtlMs, clock, principalOf: (ctx) => callerOf(ctx).principal }),
    conversations: new Conversations({ clock, ids, ttlMs: answerTtlMs, max: maxWaiting }),
    callerOf,
    scopeOf(ctx, { interactive } = { interactive: false }) {
      const { principal, session } = callerOf(ctx);
      const { approveInClient = true } = serving;
      const mayAsk = typeof approveInClient === "boolean" ? approveInClient : approveInClient(principal);
      const person = interactive && principal.actor.kind === "user" && mayAsk;
      return serving.engine.scope({ ...principal, door: "mcp", source: "mcp", interactive: person }, { session });
    },
    capabilitiesOf: (_ctx, server) => server.getClientCapabilities(),
  };
}
