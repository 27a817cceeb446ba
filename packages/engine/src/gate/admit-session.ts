import type { CallResult } from "../contract/call.ts";
import { ToolwrightError } from "../contract/errors.ts";
import type { Principal } from "../contract/principal.ts";
import type { SessionUsers } from "../ports/session-store.ts";
import { type Call, toCallError } from "./call.ts";
import type { GateParts } from "./gate-parts.ts";

/** Ends a call in a session that somebody else owns, before anything of it happens; undefined for any other. */
export function refuseSession(call: Call, { sessions, clock }: GateParts): CallResult | undefined | Promise<CallResult | undefined> {
  // That of a call inside another one is the session of its root.
  if (call.place) return undefined;
  const { principal, session } = call;
  const users = sessions.ensure({ tenant: principal.tenant, id: session }, clock.now());
  return users instanceof Promise ? users.then((found) => refuseStranger(call, found)) : refuseStranger(call, users);
}

function refuseStranger(call: Call, users: SessionUsers): CallResult | undefined {
  if (mayUseSession(call.principal, users)) return undefined;
  // The log of that session is somebody else's.
  call.isRecorded = true;
  return call.failed(toCallError(unknownSession(call.session), call.id));
}

/** Its owner, those who act for its owner, and the agent that it was made for. */
export function mayUseSession(principal: Principal, { owner, agent }: SessionUsers): boolean {
  if (owner === undefined) return true;
  const person = personOf(principal);
  if (person !== undefined) return person === owner;
  return agent !== undefined && (principal.agent === agent || (principal.actor.kind === "agent" && principal.actor.id === agent));
}

/** The person who asks, in whose conversation an agent asks, or from whom a sub-agent has what it has. */
export function personOf({ actor, onBehalfOf, delegated }: Principal): string | undefined {
  if (actor.kind === "user") return actor.id;
  return onBehalfOf ?? (delegated && personOf(delegated.from));
}

/** The same words for one that there is not and for one that is somebody else's. */
export function unknownSession(id: string): ToolwrightError {
  const message = `There is no session ${JSON.stringify(id)} for this principal. Use a session of your own, or leave the session out to get a new one.`;
  return new ToolwrightError("session_not_found", message);
}
