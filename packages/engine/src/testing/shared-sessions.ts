import { createMemorySessionStore } from "../memory/session-store.ts";
import { everybody, type SessionStore } from "../ports/session-store.ts";

/** A store whose sessions of these ids everybody of the tenant may use: for tests in which several people work in one session. */
export function sharedSessions({
  tenant = "acme",
  ids = ["s1"],
}: {
  readonly tenant?: string;
  readonly ids?: readonly string[];
} = {}): SessionStore {
  const store = createMemorySessionStore();
  // The store of a process makes it before this returns.
  for (const id of ids) void store.create({ tenant, id, sharedWith: [everybody], kind: "calls", status: "open", createdAt: 0, usedAt: 0 });
  return store;
}
