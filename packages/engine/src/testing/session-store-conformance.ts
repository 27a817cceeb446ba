import assert from "node:assert/strict";
import type { Session, SessionFilter, SessionName, SessionStore } from "../ports/session-store.ts";
import type { ConformanceCase } from "./conformance-case.ts";

interface OpenSessionStore {
  readonly store: SessionStore;
  /** Makes a call in the session at a time, as far as this store hears of it: `ensure`, or an event in the log that keeps the times. */
  readonly use: (name: SessionName, at: number) => Promise<unknown>;
  /** The store of another process on the same place. */
  readonly reopen: () => Promise<SessionStore>;
}

const at = Date.UTC(2026, 0, 1);
const chat = (id: string, given: Partial<Session> = {}): Session => ({
  ...{ tenant: "acme", id, owner: "ann", agent: "helper", kind: "chat", title: "Offers", status: "open", createdAt: at, usedAt: at },
  ...given,
});
const plain = (session: Session | undefined) => session && JSON.parse(JSON.stringify(session));

/** What every store of sessions must do, for the tenants `acme` and `other`. */
export function sessionStoreConformance(open: () => Promise<OpenSessionStore>): readonly ConformanceCase[] {
  const withStore = (name: string, check: (opened: OpenSessionStore) => Promise<void>): ConformanceCase => ({
    name,
    run: async () => check(await open()),
  });
  return [
    withStore("finds a session as it was made, in every process", async ({ store, reopen }) => {
      await store.create(chat("one"));
      assert.deepEqual(plain(await (await reopen()).find({ tenant: "acme", id: "one" })), chat("one"));
      assert.equal(await store.find({ tenant: "acme", id: "two" }), undefined);
    }),
    withStore("refuses a second session of the same id, and leaves the first as it is", async ({ store, reopen }) => {
      await store.create(chat("one"));
      await assert.rejects((await reopen()).create(chat("one", { owner: "bob" })), { code: "session_refused" });
      assert.equal((await store.find({ tenant: "acme", id: "one" }))?.owner, "ann");
    }),
    withStore("makes a session on first use, of the kind calls and without an owner", async ({ store }) => {
      assert.equal((await store.ensure({ tenant: "acme", id: "cli" }, at)).owner, undefined);
      const made = { tenant: "acme", id: "cli", kind: "calls", status: "open", createdAt: at, usedAt: at };
      assert.deepEqual(plain(await store.find({ tenant: "acme", id: "cli" })), made);
    }),
    withStore("says whose a session is, first from the place and then at once", async ({ store, reopen }) => {
      await store.create(chat("one"));
      const other = await reopen();
      const { owner, agent } = await other.ensure({ tenant: "acme", id: "one" }, at + 1);
      assert.deepEqual([owner, agent], ["ann", "helper"]);
      assert.ok(!(other.ensure({ tenant: "acme", id: "one" }, at + 2) instanceof Promise));
    }),
    withStore("makes one session where many ask for it at once", async ({ store, reopen }) => {
      const stores = [store, await reopen()];
      await Promise.all(Array.from({ length: 20 }, (_, n) => stores[n % 2]?.ensure({ tenant: "acme", id: "cli" }, at)));
      assert.equal((await store.list({ tenant: "acme" })).sessions.length, 1);
    }),
    withStore("takes the time of the last call, and none before it", async ({ store, use }) => {
      await store.create(chat("one"));
      await use({ tenant: "acme", id: "one" }, at + 5_000);
      await use({ tenant: "acme", id: "one" }, at + 3_000);
      assert.equal((await store.find({ tenant: "acme", id: "one" }))?.usedAt, at + 5_000);
    }),
    withStore("changes title and status, each alone", async ({ store, reopen }) => {
      await store.create(chat("one"));
      await store.update({ tenant: "acme", id: "one" }, { title: "Orders" });
      assert.deepEqual(plain(await store.update({ tenant: "acme", id: "one" }, { status: "archived" })), {
        ...chat("one", { title: "Orders", status: "archived" }),
      });
      assert.equal((await (await reopen()).find({ tenant: "acme", id: "one" }))?.title, "Orders");
      assert.equal(await store.update({ tenant: "acme", id: "two" }, { title: "None" }), undefined);
    }),
    withStore("lists by owner, agent, kind and status, last used first", async ({ store, use }) => {
      await store.create(chat("a"));
      await store.create(chat("b", { owner: "bob", kind: "form" }));
      await store.create(chat("c", { agent: "writer", status: "archived", usedAt: at + 10 }));
      await use({ tenant: "acme", id: "a" }, at + 20);
      const idsOf = async (filter: Omit<SessionFilter, "tenant">) =>
        (await store.list({ tenant: "acme", ...filter })).sessions.map(({ id }) => id);
      assert.deepEqual(await idsOf({}), ["a", "c", "b"]);
      assert.deepEqual(await idsOf({ owner: "ann" }), ["a", "c"]);
      assert.deepEqual(await idsOf({ agent: "helper" }), ["a", "b"]);
      assert.deepEqual(await idsOf({ kind: "form" }), ["b"]);
      assert.deepEqual(await idsOf({ owner: "ann", status: "open" }), ["a"]);
    }),
    withStore("lists page by page, each session once, also of those that were used at the same time", async ({ store }) => {
      for (let n = 0; n < 7; n += 1) await store.create(chat(`s${n}`, { usedAt: at + (n % 2) }));
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await store.list({ tenant: "acme", limit: 3, after });
        seen.push(...page.sessions.map(({ id }) => id));
        after = page.next;
      } while (after !== undefined);
      assert.deepEqual(seen, ["s1", "s3", "s5", "s0", "s2", "s4", "s6"]);
      await assert.rejects(store.list({ tenant: "acme", after: "nonsense" }), { code: "invalid_input" });
    }),
    withStore("shows no tenant the sessions of another, also of the same id (R-TN-3)", async ({ store }) => {
      await store.create(chat("one"));
      const stranger = { tenant: "other", id: "one" };
      assert.equal(await store.find(stranger), undefined);
      assert.equal(await store.update(stranger, { title: "Mine" }), undefined);
      assert.deepEqual((await store.list({ tenant: "other" })).sessions, []);
      assert.equal((await store.ensure(stranger, at)).owner, undefined);
      assert.deepEqual(plain(await store.find({ tenant: "acme", id: "one" })), chat("one"));
    }),
  ];
}
