import { ToolwrightError } from "../contract/errors.ts";

export type SessionStatus = "open" | "archived";

/** What a log of events belongs to: a conversation, the runs of a form, the calls of a program. */
export interface Session {
  readonly tenant: string;
  readonly id: string;
  /** Id of the person whose session it is. Without one, everybody of the tenant who names the session may use it. */
  readonly owner?: string | undefined;
  /** The agent that works in it. */
  readonly agent?: string | undefined;
  /** `calls` for one that calls made on first use; one of `sessionKinds`, or declared with `declareSessionKind`. */
  readonly kind: string;
  readonly title?: string | undefined;
  /** For lists. An archived session takes calls like an open one. */
  readonly status: SessionStatus;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Of the last call in it, or of when it was made. */
  readonly usedAt: number;
}

export type SessionName = Pick<Session, "tenant" | "id">;

export interface SessionFilter {
  readonly tenant: string;
  readonly owner?: string | undefined;
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
}

/** Sessions by tenant and id. *Contract:* the owner of a session never changes, and no session is ever removed. */
export interface SessionStore {
  /** Rejects with `session_refused` where there is one of that id. */
  create(session: Session): Promise<void>;
  /**
   * Whose the session is. One that there is not is made, of the kind `calls` and without an owner. The gate asks this at each call.
   * *Contract:* at once for one that was asked for before. A store beside a log that keeps the times of sessions need not write `at` down.
   */
  ensure(name: SessionName, at: number): SessionUsers | Promise<SessionUsers>;
  find(name: SessionName): Promise<Session | undefined>;
  list(filter: SessionFilter): Promise<SessionPage>;
  /** The session as it is now; undefined where there is none. */
  update(name: SessionName, changes: SessionChanges): Promise<Session | undefined>;
}

export type SessionUsers = Pick<Session, "owner" | "agent">;

export const sessionKinds = ["calls", "chat", "form", "room", "webhook", "job", "collaboration", "sub_agent"] as const;
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

/** What `create` rejects with. */
export function takenSession(id: string): ToolwrightError {
  const message = `There is a session ${JSON.stringify(id)} already. Choose another id, or leave it out to get a new one.`;
  return new ToolwrightError("session_refused", message);
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
