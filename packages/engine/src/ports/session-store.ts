import { ToolwrightError } from "../contract/errors.ts";

export type SessionStatus = "open" | "archived";

/** What a log of events belongs to: a conversation, the runs of a form, the calls of a program. */
export interface Session {
  readonly tenant: string;
  readonly id: string;
  /** What its owner calls it; unique for the owner. */
  readonly name?: string | undefined;
  /**
   * Id of the person whose session it is; `service:ID` or `agent:ID` for one that belongs to no person. A session from before owners has none, and
   * is for `sessions:manage` alone.
   */
  readonly owner?: string | undefined;
  /** Who may use it beside its owner, in the form of `owner`; `*` is everybody of the tenant. */
  readonly sharedWith?: readonly string[] | undefined;
  /** The agent that works in it. */
  readonly agent?: string | undefined;
  /** `calls` for one that calls made on first use; one of `sessionKinds`, or declared with `declareSessionKind`. */
  readonly kind: string;
  readonly title?: string | undefined;
  /** For lists. An archived session takes calls like an open one. */
  readonly status: SessionStatus;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Time of the last call in it, or when it was made. */
  readonly usedAt: number;
}

export type SessionName = Pick<Session, "tenant" | "id">;

/** A session as its owner calls it. */
export interface NamedSession {
  readonly tenant: string;
  readonly owner: string;
  readonly name: string;
}

/** Whom a session that is shared with everybody of the tenant is shared with. */
export const everybody = "*";

/** Most that one session is shared with by name. */
const mostShared = 100;

export interface SessionFilter {
  readonly tenant: string;
  readonly owner?: string | undefined;
  /** True: only those without an owner. */
  readonly ownerless?: boolean | undefined;
  /** Those of this owner, those that are shared with it, and those that are shared with everybody. */
  readonly usableBy?: string | undefined;
  readonly agent?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: SessionStatus | undefined;
  /** Reads on after the page that gave this; another text is refused with `invalid_input`. */
  readonly after?: string | undefined;
  /** Default 50, at most 500. */
  readonly limit?: number | undefined;
}

export interface SessionPage {
  /** Last used first. */
  readonly sessions: readonly Session[];
  /** For the next page; undefined on the last one. */
  readonly next: string | undefined;
}

/** Members that are left out stay as they are. */
export interface SessionChanges {
  readonly title?: string | undefined;
  readonly status?: SessionStatus | undefined;
  /** Added to those whom it is shared with; rejects with `session_refused` beyond 100. */
  readonly share?: string | undefined;
  readonly unshare?: string | undefined;
}

/** Sessions by tenant and id. *Contract:* the owner of a session never changes, and no session is ever removed. */
export interface SessionStore {
  /** Rejects with `session_refused` where there is one of that id, and where its owner has one of that name. */
  create(session: Session): Promise<void>;
  /**
   * Whose the session is. One that does not exist is made, of the kind `calls` and of this owner. The gate asks this at each call.
   * *Contract:* at once for one that was asked for before; `sharedWith` may be left out, and is never out of date. A store beside a log that keeps
   * the times of sessions need not write `at` down.
   */
  ensure(name: SessionName, use: { readonly owner: string; readonly at: number }): SessionUsers | Promise<SessionUsers>;
  /** Whose the session is; undefined for one that does not exist. *Contract:* at once for one that was asked for before, as `ensure`. */
  usersOf(name: SessionName): SessionUsers | undefined | Promise<SessionUsers | undefined>;
  /** Id of the owner's session of this name, if there is one. *Contract:* at once for one that was found before. */
  named(session: NamedSession): string | undefined | Promise<string | undefined>;
  /**
   * Id of the owner's session of this name. One that does not exist is made with the given id, of the kind `calls`.
   * *Contract:* all who ask for one name at once, in any process, get one id.
   */
  openNamed(session: NamedSession, made: { readonly id: string; readonly at: number }): Promise<string>;
  find(name: SessionName): Promise<Session | undefined>;
  list(filter: SessionFilter): Promise<SessionPage>;
  /** The session as it is now; undefined where there is none. */
  update(name: SessionName, changes: SessionChanges): Promise<Session | undefined>;
}

export type SessionUsers = Pick<Session, "owner" | "agent" | "sharedWith">;

const sessionKinds = ["calls", "chat", "form", "room", "webhook", "job", "collaboration", "sub_agent"] as const;
const kinds = new Set<string>(sessionKinds);

/** Adds a kind of sessions. Declaring it again changes nothing. Throws `session_refused` for a name that is not well formed. */
export function declareSessionKind(kind: string): void {
  if (!/^[a-z][a-z0-9_]{0,31}$/.test(kind)) {
    const form = "Begin with a lower-case letter; letters, digits and _ follow, 32 in all.";
    throw new ToolwrightError("session_refused", `${JSON.stringify(kind)} is no name for a kind of sessions. ${form}`);
  }
  kinds.add(kind);
}

export function knownSessionKinds(): readonly string[] {
  return [...kinds];
}

/** What `create` rejects with for an id or name that is taken. */
export function takenSession(text: string): ToolwrightError {
  const message = `There is a session ${JSON.stringify(text)} already. Choose another name, or leave it out to get a new session.`;
  return new ToolwrightError("session_refused", message);
}

/** Whom a session is shared with after a change. Throws `session_refused` beyond 100. */
export function changeShares({ id, sharedWith = [] }: Pick<Session, "id" | "sharedWith">, changes: SessionChanges): readonly string[] {
  const shared = new Set(sharedWith);
  if (changes.share !== undefined) shared.add(changes.share);
  if (changes.unshare !== undefined) shared.delete(changes.unshare);
  if (shared.size <= mostShared) return [...shared];
  const message = `The session ${JSON.stringify(id)} is shared with ${mostShared} already. Share it with the tenant, or unshare it first.`;
  throw new ToolwrightError("session_refused", message);
}

const defaultLimit = 50;
const mostSessions = 500;

/** How many sessions a page holds. */
export function sessionLimit({ limit = defaultLimit }: Pick<SessionFilter, "limit">): number {
  return Math.min(Math.max(1, limit), mostSessions);
}

/** What a page's `next` says of its last session. */
export function sessionCursor({ usedAt, id }: Pick<Session, "usedAt" | "id">): string {
  return `${usedAt}_${id}`;
}

/** Throws `invalid_input` for what no page gave. */
export function readSessionCursor(after: string): Pick<Session, "usedAt" | "id"> {
  const [, at, id] = /^(\d{1,15})_(.+)$/s.exec(after) ?? [];
  if (at !== undefined && id !== undefined) return { usedAt: Number(at), id };
  const message = `There is no page of sessions after ${JSON.stringify(after)}. Use what the page before gave as next.`;
  throw new ToolwrightError("invalid_input", message);
}
