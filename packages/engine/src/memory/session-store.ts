import {
  readSessionCursor,
  type Session,
  type SessionFilter,
  type SessionStore,
  sessionCursor,
  sessionLimit,
  takenSession,
} from "../ports/session-store.ts";

type KeptSession = { -readonly [Member in keyof Session]: Session[Member] };

interface TenantSessions {
  readonly all: Map<string, KeptSession>;
  /** Ids of those that calls made on first use, oldest first. */
  readonly unowned: Set<string>;
}

/** Sessions of this process: all that were created, and of each tenant the newest 10,000 that calls made. */
export function createMemorySessionStore({ keep = 10_000 }: { readonly keep?: number } = {}): SessionStore {
  const tenants = new Map<string, TenantSessions>();
  const tenantOf = (tenant: string) => {
    const found = tenants.get(tenant) ?? { all: new Map(), unowned: new Set() };
    tenants.set(tenant, found);
    return found;
  };
  const sessionsOf = (tenant: string) => tenantOf(tenant).all;
  const make = (session: KeptSession) => {
    const { all, unowned } = tenantOf(session.tenant);
    all.set(session.id, session);
    unowned.add(session.id);
    const [oldest] = unowned;
    if (unowned.size > keep && oldest !== undefined) {
      unowned.delete(oldest);
      all.delete(oldest);
    }
    return session;
  };
  /** Most calls are in the session of the one before. */
  let latest: KeptSession | undefined;
  return {
    async create(session) {
      const sessions = sessionsOf(session.tenant);
      if (sessions.has(session.id)) throw takenSession(session.id);
      sessions.set(session.id, { ...session });
    },
    ensure({ tenant, id }, at) {
      if (latest?.id !== id || latest.tenant !== tenant)
        latest = tenants.get(tenant)?.all.get(id) ?? make({ tenant, id, kind: "calls", status: "open", createdAt: at, usedAt: at });
      if (at > latest.usedAt) latest.usedAt = at;
      return latest;
    },
    async find({ tenant, id }) {
      const session = sessionsOf(tenant).get(id);
      return session && { ...session };
    },
    async list(filter) {
      const after = filter.after === undefined ? undefined : readSessionCursor(filter.after);
      const chosen = [...sessionsOf(filter.tenant).values()]
        .filter((session) => passes(session, filter) && (after === undefined || compare(after, session) < 0))
        .sort(compare);
      const sessions = chosen.slice(0, sessionLimit(filter)).map((session) => ({ ...session }));
      const last = sessions.at(-1);
      return { sessions, next: last && sessions.length < chosen.length ? sessionCursor(last) : undefined };
    },
    async update({ tenant, id }, changes) {
      const session = sessionsOf(tenant).get(id);
      if (!session) return undefined;
      if (changes.title !== undefined) session.title = changes.title;
      if (changes.status !== undefined) session.status = changes.status;
      return { ...session };
    },
  };
}

function passes(session: Session, { owner, agent, kind, status }: SessionFilter): boolean {
  const wanted = { owner, agent, kind, status };
  return (["owner", "agent", "kind", "status"] as const).every((member) => (wanted[member] ?? session[member]) === session[member]);
}

/** Last used first, and by id what was used at the same time. */
function compare(a: Pick<Session, "usedAt" | "id">, b: Pick<Session, "usedAt" | "id">): number {
  if (a.usedAt !== b.usedAt) return b.usedAt - a.usedAt;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
