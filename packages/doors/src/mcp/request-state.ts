import { createRequestStateCodec, ProtocolError, ProtocolErrorCode, type ServerContext } from "@modelcontextprotocol/server";
import type { Principal } from "@toolwright/engine";
import { type Clock, createMemorySealKeys, digest, type SealKey, type SealKeys } from "@toolwright/engine/ports";

/** What a client carries from one round of a call to the next. It names, and holds nothing itself. */
export type CallState =
  | { readonly kind: "approval"; readonly approval: string; readonly call: string; readonly until: number }
  | { readonly kind: "question"; readonly conversation: string; readonly call: string; readonly until: number };

export interface StateSeal {
  seal(state: CallState, ctx: ServerContext): Promise<string>;
  /** For the server's `requestState.verify`: rejects what was not sealed here for this principal. */
  verify(text: string, ctx: ServerContext): Promise<CallState>;
  /** Throws -32602 unless the state is in time and belongs to this tool with these arguments. */
  check(state: CallState, call: string): void;
}

/** Attacker-controlled on its way back: HMAC over the state, bound to principal and method; tool, arguments and time are inside (R-MC-11). */
export function createStateSeal(options: {
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
export function invalidState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", { reason: "invalid_request_state" });
}

const principalKeys = new WeakMap<Principal, string>();

/**
 * Names the principal in maps and bindings; no part of it can be mistaken for another. A person's API key is part of it, because it may do less
 * than the person, and so is that a credential is not for answering.
 */
export function principalKey(principal: Principal): string {
  let name = principalKeys.get(principal);
  if (name === undefined) {
    const { tenant, actor, agent = null, key, interactive } = principal;
    name = digest([tenant, actor.kind, actor.id, agent, ...(key === undefined ? [] : [key]), ...(interactive === false ? [false] : [])]);
    principalKeys.set(principal, name);
  }
  return name;
}

/** Names a call by what was asked, whatever the order of its members. */
export function callKey(tool: string, input: unknown): string {
  return digest([tool, input]);
}
