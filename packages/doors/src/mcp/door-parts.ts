import {
  type ClientCapabilities,
  createRequestStateCodec,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Logger, Principal, Scope } from "@toolwright/engine";
import {
  type Clock,
  createMemorySealKeys,
  createRandomIds,
  digest,
  type Ids,
  type SealKey,
  type SealKeys,
  silentLogger,
  systemClock,
} from "@toolwright/engine/ports";
import { principalKey } from "../http/owners.ts";
import { AskedForms } from "./call/asked-forms.ts";
import { Conversations } from "./call/conversations.ts";
import type { McpServing } from "./door-options.ts";
import { Tasks } from "./tasks/tasks.ts";

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
  readonly tasks: Tasks;
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
/** Longer than most calls take, and shorter than a client minds. */
const defaultTaskAfterMs = 500;
/** Calls that run as tasks: 250 for a tenant, 63 for a caller. */
const maxTasks = 1_000;

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
    tasks: new Tasks({ clock, ids, afterMs: serving.taskAfterMs ?? defaultTaskAfterMs, max: maxTasks }),
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
function mayBeAsked({ actor, interactive }: Principal): boolean {
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

/** What a client carries from one round of a call to the next. It names, and holds nothing itself. */
export type CallState =
  | { readonly kind: "approval"; readonly approval: string; readonly call: string; readonly until: number }
  | { readonly kind: "question"; readonly conversation: string; readonly call: string; readonly until: number };

interface StateSeal {
  seal(state: CallState, ctx: ServerContext): Promise<string>;
  /** For the server's `requestState.verify`: rejects what was not sealed here for this principal. */
  verify(text: string, ctx: ServerContext): Promise<CallState>;
  /** Throws -32602 unless the state is in time and belongs to this tool with these arguments. */
  check(state: CallState, call: string): void;
}

/** Attacker-controlled on its way back: HMAC over the state, bound to principal and method; tool, arguments and time are inside (R-MC-11). */
function createStateSeal(options: {
  keys: SealKeys | undefined;
  ttlMs: number;
  clock: Clock;
  principalOf: (ctx: ServerContext) => Principal;
}): StateSeal {
  const { keys = createMemorySealKeys() } = options;
  const codecFor = ({ key }: SealKey) =>
    createRequestStateCodec<CallState>({
      key,
      // The state's own `until`, on the injected clock, is the real limit.
      ttlSeconds: Math.ceil(options.ttlMs / 1000) + 3600,
      bind: (ctx) => `${principalKey(options.principalOf(ctx))} ${ctx.mcpReq.method}`,
    });
  return {
    async seal(state, ctx) {
      const key = await keys.current();
      return `${key.id}.${await codecFor(key).mint(state, ctx)}`;
    },
    async verify(text, ctx) {
      const [, id, sealed] = /^([0-9a-z]{1,64})\.(.+)$/s.exec(text) ?? [];
      const key = id === undefined ? undefined : await keys.find(id);
      if (key === undefined || sealed === undefined) throw invalidState();
      return codecFor(key).verify(sealed, ctx);
    },
    check(state, call) {
      if (state.call !== call || state.until <= options.clock.now()) throw invalidState();
    },
  };
}

/** What the SDK itself answers to a state that fails verification. */
function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", { reason: "invalid_request_state" });
}

/** Names a call by what was asked, whatever the order of its members. */
export function callKey(tool: string, input: unknown): string {
  return digest([tool, input]);
}
