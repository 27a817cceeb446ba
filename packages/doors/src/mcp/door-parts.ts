import type { ClientCapabilities, Server, ServerContext } from "@modelcontextprotocol/server";
import type { Logger, Principal, Scope } from "@toolwright/engine";
import { type Clock, createRandomIds, type Ids, silentLogger, systemClock } from "@toolwright/engine/ports";
import { AskedForms } from "./call/asked-forms.ts";
import { Conversations } from "./call/conversations.ts";
import type { McpServing } from "./door-options.ts";
import { createStateSeal, type StateSeal } from "./request-state.ts";

/** Who a request comes from, and the engine session it belongs to. */
export interface Caller {
  readonly principal: Principal;
  readonly session: string;
  /** Undefined where there is none, as at standard input. */
  readonly request?: Request | undefined;
}

/** What the handlers of one door share. */
export interface DoorParts {
  readonly serving: McpServing;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly answerTtlMs: number;
  readonly progressMs: number;
  readonly patienceMs: number;
  readonly seal: StateSeal;
  readonly conversations: Conversations;
  readonly forms: AskedForms;
  callerOf(ctx: ServerContext): Caller;
  /** True when an answer to an approval that comes with this request is believed to be the person's. */
  mayAnswer(ctx: ServerContext): Promise<boolean>;
  /** `interactive`: the person is there, as `mayAnswer` said. */
  scopeOf(ctx: ServerContext, facts?: { readonly interactive: boolean }): Scope;
  /** What the client of a session declared; a 2026-07-28 request carries its own in the envelope. */
  capabilitiesOf(ctx: ServerContext, server: Pick<Server, "getClientCapabilities">): ClientCapabilities | undefined;
}

const defaultAnswerTtlMs = 10 * 60_000;
const defaultProgressMs = 5_000;
/** Common clients give up after a minute. */
const defaultPatienceMs = 45_000;
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
    progressMs: serving.progressMs ?? defaultProgressMs,
    patienceMs: serving.patienceMs ?? defaultPatienceMs,
    seal: createStateSeal({ keys: serving.sealKeys, ttlMs: answerTtlMs, clock, principalOf: (ctx) => callerOf(ctx).principal }),
    conversations: new Conversations({ clock, ids, ttlMs: answerTtlMs, max: maxWaiting }),
    callerOf,
    forms: new AskedForms({ clock, ttlMs: answerTtlMs }),
    async mayAnswer(ctx) {
      const { principal, request } = callerOf(ctx);
      return mayBeAsked(principal) && isBelieved(serving, principal, request);
    },
    scopeOf(ctx, { interactive } = { interactive: false }) {
      const { principal, session } = callerOf(ctx);
      return serving.engine.scope({ ...principal, door: "mcp", source: "mcp", interactive }, { session });
    },
    capabilitiesOf: (_ctx, server) => server.getClientCapabilities(),
  };
}

/** What the principal says by itself: an agent or a service is no person, and some credentials are not for answering (R-AP-6, R-AP-11). */
export function mayBeAsked({ actor, interactive }: Principal): boolean {
  return actor.kind === "user" && interactive !== false;
}

/** What whoever serves says of this client. */
export async function isBelieved(
  { approveInClient = true, elicit }: McpServing,
  principal: Principal,
  request?: Request,
): Promise<boolean> {
  if (elicit === false) return false;
  return typeof approveInClient === "boolean" ? approveInClient : approveInClient(principal, request);
}
