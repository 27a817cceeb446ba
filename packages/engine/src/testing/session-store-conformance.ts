import assert from "node:assert/strict";
import {
  everybody,
  type NamedSession,
  type Session,
  type SessionFilter,
  type SessionName,
  type SessionStore,
  type SessionUsers,
} from "../ports/session-store.ts";
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
const byAnn = { owner: "ann", at };
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
    withStore("makes a session on first use, of the kind calls and of who uses it", async ({ store }) => {
      assert.equal((await store.ensure({ tenant: "acme", id: "cli" }, byAnn)).owner, "ann");
      assert.equal((await store.ensure({ tenant: "acme", id: "cli" }, { owner: "bob", at })).owner, "ann");
      const made = { tenant: "acme", id: "cli", owner: "ann", kind: "calls", status: "open", createdAt: at, usedAt: at };
      assert.deepEqual(plain(await store.find({ tenant: "acme", id: "cli" })), made);
    }),
    withStore("says whose a session is, first from the place and then at once", async ({ store, reopen }) => {
      await store.create(chat("one"));
      const other = await reopen();
      const { owner, agent } = await other.ensure({ tenant: "acme", id: "one" }, { owner: "bob", at: at + 1 });
      assert.deepEqual([owner, agent], ["ann", "helper"]);
      assert.ok(!(other.ensure({ tenant: "acme", id: "one" }, { owner: "bob", at: at + 2 }) instanceof Promise));
      assert.ok(!(other.usersOf({ tenant: "acme", id: "one" }) instanceof Promise));
      assert.equal(await other.usersOf({ tenant: "acme", id: "two" }), undefined);
      assert.equal(await other.find({ tenant: "acme", id: "two" }), undefined);
    }),
    withStore("gives each owner a session of one name, in every process the same", async ({ store, reopen }) => {
      const [ann, bob] = ["ann", "bob"].map((owner) => ({ tenant: "acme", owner, name: "chat-1" })) as [NamedSession, NamedSession];
      assert.equal(await store.named(ann), undefined);
      assert.equal(await store.openNamed(ann, { id: "ses_a", at }), "ses_a");
      assert.equal(await store.openNamed(bob, { id: "ses_b", at }), "ses_b");
      const other = await reopen();
      assert.equal(await other.openNamed(ann, { id: "ses_c", at }), "ses_a");
      assert.equal(await other.named(bob), "ses_b");
      assert.ok(!(other.named(bob) instanceof Promise));
      assert.equal(await store.find({ tenant: "acme", id: "ses_c" }), undefined);
      const made = { tenant: "acme", id: "ses_a", name: "chat-1", owner: "ann", kind: "calls", status: "open", createdAt: at, usedAt: at };
      assert.deepEqual(plain(await other.find({ tenant: "acme", id: "ses_a" })), made);
    }),
    withStore("gives one id to all who open a name at once", async ({ store, reopen }) => {
      const stores = [store, await reopen()] as const;
      const name = { tenant: "acme", owner: "ann", name: "chat-1" };
      const ids = await Promise.all(
        Array.from({ length: 20 }, (_, n) => stores[n % 2 === 0 ? 0 : 1].openNamed(name, { id: `ses_${n}`, at })),
      );
      assert.equal(new Set(ids).size, 1);
      // One alone gets the id that it brought: the session counts for the one who made it.
      assert.equal(ids.filter((id, n) => id === `ses_${n}`).length, 1);
      assert.equal((await store.list({ tenant: "acme" })).sessions.length, 1);
    }),
    withStore("finds a created session by its name, and refuses the name a second time for its owner alone", async ({ store, reopen }) => {
      await store.create(chat("one", { name: "offers" }));
      assert.equal(await (await reopen()).named({ tenant: "acme", owner: "ann", name: "offers" }), "one");
      await assert.rejects(store.create(chat("two", { name: "offers" })), { code: "session_refused" });
      await store.create(chat("three", { name: "offers", owner: "bob" }));
      assert.equal(await store.find({ tenant: "acme", id: "two" }), undefined);
    }),
    withStore("shares a session, one change after the other, up to 100", async ({ store, reopen }) => {
      const one = { tenant: "acme", id: "one" };
      await store.create(chat("one"));
      await store.ensure(one, byAnn);
      await store.update(one, { share: "bob" });
      await (await reopen()).update(one, { share: "cem" });
      await store.update(one, { share: "bob" });
      assert.deepEqual([...((await store.find(one))?.sharedWith ?? [])].sort(), ["bob", "cem"]);
      const { sharedWith = [] } = (await store.ensure(one, byAnn)) as SessionUsers;
      assert.ok(sharedWith.length === 0 || sharedWith.length === 2);
      assert.deepEqual((await (await reopen()).update(one, { unshare: "bob" }))?.sharedWith, ["cem"]);
      await store.update(one, { unshare: "cem" });
      assert.deepEqual(plain(await store.find(one)), chat("one"));
      for (let n = 0; n < 100; n += 1) await store.update(one, { share: `p${n}` });
      await assert.rejects(store.update(one, { share: "more" }), { code: "session_refused" });
      assert.equal((await store.find(one))?.sharedWith?.length, 100);
    }),
    withStore("lists what somebody may use: own sessions, shared ones, and those of everybody", async ({ store }) => {
      for (const id of ["a", "b", "c", "d"]) await store.create(chat(id, { owner: id === "a" ? "bob" : "ann" }));
      await store.update({ tenant: "acme", id: "b" }, { share: "bob" });
      await store.update({ tenant: "acme", id: "c" }, { share: everybody });
      const idsFor = async (usableBy: string) => (await store.list({ tenant: "acme", usableBy })).sessions.map(({ id }) => id);
      assert.deepEqual(await idsFor("bob"), ["a", "b", "c"]);
      assert.deepEqual(await idsFor("ann"), ["b", "c", "d"]);
      assert.deepEqual(await idsFor(everybody), ["c"]);
    }),
    withStore("makes one session where many ask for it at once", async ({ store, reopen }) => {
      const stores = [store, await reopen()];
      await Promise.all(Array.from({ length: 20 }, (_, n) => stores[n % 2]?.ensure({ tenant: "acme", id: "cli" }, byAnn)));
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
    withStore("lists those without an owner alone where they are asked for", async ({ store }) => {
      await store.create(chat("a"));
      await store.create(chat("old", { owner: undefined }));
      const idsOf = async (filter: Omit<SessionFilter, "tenant">) =>
        (await store.list({ tenant: "acme", ...filter })).sessions.map(({ id }) => id);
      assert.deepEqual(await idsOf({ ownerless: true }), ["old"]);
      assert.deepEqual(await idsOf({ ownerless: true, usableBy: "ann" }), []);
      assert.deepEqual((await idsOf({ ownerless: false })).toSorted(), ["a", "old"]);
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
      const named = chat("one", { name: "offers" });
      await store.create(named);
      const stranger = { tenant: "other", id: "one" };
      assert.equal(await store.find(stranger), undefined);
      assert.equal(await store.update(stranger, { title: "Mine" }), undefined);
      assert.deepEqual((await store.list({ tenant: "other" })).sessions, []);
      assert.equal(await store.usersOf(stranger), undefined);
      assert.equal(await store.named({ tenant: "other", owner: "ann", name: "offers" }), undefined);
      assert.equal((await store.ensure(stranger, { owner: "eve", at })).owner, "eve");
      assert.deepEqual(plain(await store.find({ tenant: "acme", id: "one" })), named);
    }),
  ];
}
