import type { ClientSession, ClientSessionName, ClientSessions } from "../ports/client-sessions.ts";

/** Sessions of this process. */
export function createMemoryClientSessions(): ClientSessions {
  const kept = new Map<string, ClientSession>();
  const keyOf = ({ tenant, id }: ClientSessionName) => JSON.stringify([tenant, id]);
  return {
    async put(session) {
      kept.set(keyOf(session), session);
    },
    find: async (name) => kept.get(keyOf(name)),
    async touch(name, usedAt) {
      const session = kept.get(keyOf(name));
      if (session) kept.set(keyOf(name), { ...session, usedAt });
    },
    async remove(name) {
      kept.delete(keyOf(name));
    },
  };
}
