import {
  changeShares,
  everybody,
  type NamedSession,
  readSessionCursor,
  type Session,
  type SessionFilter,
  type SessionStore,
  sessionCursor,
  sessionLimit,
  takenSession,
} from "../ports/session-store.ts";

type KeptSession = { -readonly [Member in keyof Session]: Session[Member] };

type MadeSession = KeptSession & { readonly owner: string };

interface TenantSessions {
  readonly all: Map<string, KeptSession>;
  /** Ids by owner and name. */
  readonly named: Map<string, string>;
  /** Ids of those that calls made on first use, by owner, oldest first. */
  readonly made: Map<string, Set<string>>;
}

/** Sessions of this process: all that were created, and of each owner the newest 10,000 that calls made. */
export function createMemorySessionStore({ keep = 10_000 }: { readonly keep?: number } = {}): SessionStore {
  const tenants = new Map<string, TenantSessions>();
  const tenantOf = (tenant: string) => {
    const found = tenants.get(tenant) ?? { all: new Map(), named: new Map(), made: new Map() };
    tenants.set(tenant, found);
    return found;
  };
  const make = (session: MadeSession) => {
    const sessions = tenantOf(session.tenant);
    dropOldest(sessions, session, keep);
    return add(sessions, session);
  };
  /** Most calls are in the session of the one before. */
  let latest: KeptSession | undefined;
  return {
    async create(session) {
      const sessions = tenantOf(session.tenant);
      const { id, owner, name } = session;
      if (sessions.all.has(id)) throw takenSession(id);
      if (owner !== undefined && name !== undefined && sessions.named.has(nameKey(owner, name))) throw takenSession(name);
      add(sessions, { ...session });
    },
    ensure({ tenant, id }, { owner, at }) {
      if (latest?.id !== id || latest.tenant !== tenant)
        latest = tenants.get(tenant)?.all.get(id) ?? make({ tenant, id, owner, kind: "calls", status: "open", createdAt: at, usedAt: at });
      if (at > latest.usedAt) latest.usedAt = at;
      return latest;
    },
    usersOf: ({ tenant, id }) => tenants.get(tenant)?.all.get(id),
    named: ({ tenant, owner, name }) => tenants.get(tenant)?.named.get(nameKey(owner, name)),
    async openNamed({ tenant, owner, name }: NamedSession, { id, at }) {
      const found = tenants.get(tenant)?.named.get(nameKey(owner, name));
      return found ?? make({ tenant, id, owner, name, kind: "calls", status: "open", createdAt: at, usedAt: at }).id;
    },
    async find({ tenant, id }) {
      const session = tenants.get(tenant)?.all.get(id);
      return session && { ...session };
    },
    async list(filter) {
      const after = filter.after === undefined ? undefined : readSessionCursor(filter.after);
      const chosen = [...tenantOf(filter.tenant).all.values()]
        .filter((session) => passes(session, filter) && (after === undefined || compare(after, session) < 0))
        .sort(compare);
      const sessions = chosen.slice(0, sessionLimit(filter)).map((session) => ({ ...session }));
      const last = sessions.at(-1);
      return { sessions, next: last && sessions.length < chosen.length ? sessionCursor(last) : undefined };
    },
    async update({ tenant, id }, changes) {
      const session = tenants.get(tenant)?.all.get(id);
      if (!session) return undefined;
      if (changes.title !== undefined) session.title = changes.title;
      if (changes.status !== undefined) session.status = changes.status;
      if (changes.share !== undefined || changes.unshare !== undefined) setShares(session, changeShares(session, changes));
      return { ...session };
    },
  };
}

/** What one owner's calls make takes no place from another's. */
function dropOldest({ all, named, made }: TenantSessions, { id, owner }: MadeSession, keep: number): void {
  const own = made.get(owner) ?? new Set();
  made.set(owner, own.add(id));
  const [oldest] = own;
  if (own.size <= keep || oldest === undefined) return;
  own.delete(oldest);
  const { name } = all.get(oldest) ?? {};
  all.delete(oldest);
  if (name !== undefined) named.delete(nameKey(owner, name));
}

function add({ all, named }: TenantSessions, session: KeptSession): KeptSession {
  all.set(session.id, session);
  if (session.name !== undefined && session.owner !== undefined) named.set(nameKey(session.owner, session.name), session.id);
  return session;
}

function setShares(session: KeptSession, shared: readonly string[]): void {
  if (shared.length > 0) session.sharedWith = shared;
  else delete session.sharedWith;
}

const nameKey = (owner: string, name: string) => JSON.stringify([owner, name]);

function passes(session: Session, { owner, ownerless = false, usableBy, agent, kind, status }: SessionFilter): boolean {
  const wanted = { owner, agent, kind, status };
  const { sharedWith = [] } = session;
  const isUsable =
    usableBy === undefined || session.owner === usableBy || sharedWith.some((each) => each === usableBy || each === everybody);
  if (!isUsable || (ownerless && session.owner !== undefined)) return false;
  return (["owner", "agent", "kind", "status"] as const).every((member) => (wanted[member] ?? session[member]) === session[member]);
}

/** Last used first, and by id what was used at the same time. */
function compare(a: Pick<Session, "usedAt" | "id">, b: Pick<Session, "usedAt" | "id">): number {
  if (a.usedAt !== b.usedAt) return b.usedAt - a.usedAt;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
