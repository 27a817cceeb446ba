import { ToolwrightError } from "../contract/errors.ts";
import { MANAGE_SESSIONS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import type { GateParts } from "../gate/gate-parts.ts";
import { mayUseSession, personOf, unknownSession } from "../gate/guard-call.ts";
import {
  knownSessionKinds,
  type Session,
  type SessionChanges,
  type SessionFilter,
  type SessionPage,
  type SessionStore,
} from "../ports/session-store.ts";

/** What a new session is; members that are left out are chosen. */
export interface NewSession {
  /** 1 to 200 characters. Default: a new one that nobody can guess. */
  readonly id?: string;
  /** Default `calls`. */
  readonly kind?: string;
  /** At most 200 characters. */
  readonly title?: string;
  /** The agent that works in it: it may use the session without a person. */
  readonly agent?: string;
}

export interface Sessions {
  /** Makes a session of the person who asks; one that an agent or service makes for nobody has no owner. Rejects with `session_refused`. */
  create(wanted?: NewSession): Promise<Session>;
  /** Rejects with `session_not_found`. */
  get(id: string): Promise<Session>;
  /** Those of the person who asks, or with the permission `sessions:manage` all of the tenant; last used first. */
  list(filter?: Omit<SessionFilter, "tenant">): Promise<SessionPage>;
  /** Rejects with `session_not_found`, `session_refused`. */
  update(id: string, changes: SessionChanges): Promise<Session>;
}

const longest = 200;

/** Sessions as one principal may see and change them. */
export function manageSessions(principal: Principal, { sessions, clock, ids }: Pick<GateParts, "sessions" | "clock" | "ids">): Sessions {
  const { tenant } = principal;
  const find = async (id: string) => requireSession(await sessions.find({ tenant, id }), id, principal);
  return {
    async create({ id = ids.next("ses"), kind = "calls", title, agent } = {}) {
      checkText("id", id);
      if (title !== undefined) checkText("title", title);
      checkKind(kind);
      const at = clock.now();
      const session: Session = { tenant, id, owner: personOf(principal), agent, kind, title, status: "open", createdAt: at, usedAt: at };
      await sessions.create(session);
      return session;
    },
    get: find,
    list: (filter = {}) => listSessions(principal, filter, sessions),
    async update(id, changes) {
      if (changes.title !== undefined) checkText("title", changes.title);
      await find(id);
      return requireSession(await sessions.update({ tenant, id }, changes), id, principal);
    },
  };
}

const managesAll = ({ permissions, delegated }: Principal) => !delegated && permissions.includes(MANAGE_SESSIONS);

function requireSession(session: Session | undefined, id: string, principal: Principal): Session {
  if (session && (managesAll(principal) || mayUseSession(principal, session))) return session;
  throw unknownSession(id);
}

async function listSessions(principal: Principal, filter: Omit<SessionFilter, "tenant">, sessions: SessionStore): Promise<SessionPage> {
  const { tenant } = principal;
  if (managesAll(principal)) return sessions.list({ ...filter, tenant });
  const owner = personOf(principal);
  if (owner === undefined || (filter.owner ?? owner) !== owner) return { sessions: [], next: undefined };
  return sessions.list({ ...filter, tenant, owner });
}

function checkText(what: string, text: string): void {
  if (typeof text === "string" && text.length > 0 && text.length <= longest && !text.includes("\u0000") && text.isWellFormed()) return;
  const message = `The ${what} of the session is not 1 to ${longest} characters of text. Choose another one.`;
  throw new ToolwrightError("session_refused", message);
}

function checkKind(kind: string): void {
  const kinds = knownSessionKinds();
  if (kinds.includes(kind)) return;
  const message = `There is no kind of sessions ${JSON.stringify(kind)}. Use ${kinds.join(", ")}, or declare it first with declareSessionKind.`;
  throw new ToolwrightError("session_refused", message);
}
