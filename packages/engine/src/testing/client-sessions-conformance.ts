import assert from "node:assert/strict";
import { sha256 } from "../contract/digest.ts";
import type { ClientSession, ClientSessions } from "../ports/client-sessions.ts";
import type { ConformanceCase } from "./conformance-case.ts";

interface OpenClientSessions {
  readonly sessions: ClientSessions;
  /** The sessions of another process on the same place. */
  readonly reopen: () => Promise<ClientSessions>;
}

const opening = JSON.stringify({ capabilities: {}, clientInfo: { name: "ü\u0000\ud800", version: "1" } });
const session: ClientSession = { tenant: "acme", id: sha256("one"), owner: "ann", opening, usedAt: 1_000_000 };

/** What every store of client sessions must do, for the tenants `acme` and `other`. */
export function clientSessionsConformance(open: () => Promise<OpenClientSessions>): readonly ConformanceCase[] {
  const withSessions = (name: string, check: (opened: OpenClientSessions) => Promise<void>): ConformanceCase => ({
    name,
    run: async () => check(await open()),
  });
  return [
    withSessions("finds what was put, in every process, and nothing else", async ({ sessions, reopen }) => {
      await sessions.put(session);
      const found = await (await reopen()).find(session);
      assert.deepEqual({ ...found, opening: JSON.parse(found?.opening ?? "") }, { ...session, opening: JSON.parse(opening) });
      assert.equal(await sessions.find({ ...session, id: sha256("two") }), undefined);
    }),
    withSessions("shows no tenant the sessions of another (R-TN-3)", async ({ sessions }) => {
      await sessions.put(session);
      assert.equal(await sessions.find({ ...session, tenant: "other" }), undefined);
      await sessions.remove({ ...session, tenant: "other" });
      await sessions.touch({ ...session, tenant: "other" }, 3_000_000);
      assert.equal((await sessions.find(session))?.usedAt, session.usedAt);
    }),
    withSessions("puts down when a session was used last", async ({ sessions }) => {
      await sessions.put(session);
      await sessions.touch(session, 2_000_000);
      assert.equal((await sessions.find(session))?.usedAt, 2_000_000);
    }),
    withSessions("never finds a removed one again, used late or not", async ({ sessions, reopen }) => {
      await sessions.put(session);
      await (await reopen()).remove(session);
      await sessions.touch(session, 2_000_000);
      await sessions.remove(session);
      assert.equal(await sessions.find(session), undefined);
    }),
  ];
}
