import assert from "node:assert/strict";
import type { Principal } from "../contract/principal.ts";
import type { NewRoom, Rooms } from "../ports/rooms.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: ["agents:run"], door: "rest" };
const ann = { kind: "user", id: "ann" } as const;
const ref = { tenant: "acme", id: "r1" };
const makeRoom = (more: Partial<NewRoom> = {}): NewRoom => ({
  ...{ ...ref, title: "Orders", agent: "assistant", principal, people: ["ann"], createdAt: 1_000 },
  ...more,
});
const taking = (conversation: string, now = 2_000) => ({ conversation, now, until: now + 5_000 });
const posted = (text: string, at = 1_500) => ({ text, by: ann, at });

interface OpenRooms {
  readonly rooms: Rooms;
  readonly reopen: () => Promise<Rooms>;
  readonly cleanup: () => Promise<void>;
}

/** What every store of rooms must do. `open` gives one on an empty place. */
export function roomsConformance(open: () => Promise<OpenRooms>): readonly ConformanceCase[] {
  const withRooms = casesOn(open);
  const states = async (rooms: Rooms) => (await rooms.events(ref)).map(({ event, state }) => `${event} ${state}`).reverse();
  const due = async (rooms: Rooms, now: number) => (await rooms.due({ now, limit: 9 })).map(({ tenant, id }) => `${tenant} ${id}`);
  return [
    withRooms(
      "keeps rooms, lists those of a person and those without people, newest first, changes and removes them",
      async ({ rooms, reopen }) => {
        await rooms.create(makeRoom({ title: "a\u0000b" }));
        await rooms.create(makeRoom({ id: "r2", people: ["bob", "eve"], createdAt: 1_001 }));
        await rooms.create(makeRoom({ id: "r3", people: [], createdAt: 1_002 }));
        const other = await reopen();
        assert.deepEqual(
          { ...(await other.get(ref)), title: "" },
          { ...makeRoom({ title: "" }), cycles: 0, isWorking: false, open: 0, forPerson: 0 },
        );
        const ids = async (person?: string) => (await other.list("acme", { person })).map(({ id }) => id);
        assert.deepEqual(
          [await ids(), await ids("ann"), await ids("eve")],
          [
            ["r3", "r2", "r1"],
            ["r3", "r1"],
            ["r3", "r2"],
          ],
        );
        assert.equal(await rooms.change(ref, { people: ["ann", "eve"] }), true);
        assert.equal(await rooms.change(ref, { title: "b\u0000c" }), true);
        assert.equal(await rooms.change({ ...ref, id: "r9" }, { title: "none" }), false);
        assert.deepEqual(await other.get(ref), { ...(await rooms.get(ref)), title: "b\u0000c", people: ["ann", "eve"], createdAt: 1_000 });
        assert.deepEqual(await ids("eve"), ["r3", "r2", "r1"]);
        assert.equal(await rooms.remove(ref), true);
        assert.equal(await rooms.remove(ref), false);
        assert.equal(await rooms.post(ref, posted("late")), undefined);
        assert.equal(await rooms.say(ref, { text: "late", at: 1 }), false);
        assert.equal(await rooms.compact(ref, "late"), false);
      },
    ),
    withRooms("shows what belongs to a tenant to no other tenant", async ({ rooms }) => {
      await rooms.create(makeRoom());
      await rooms.create(makeRoom({ tenant: "other", title: "Theirs" }));
      await rooms.post(ref, posted("one"));
      await rooms.take(ref, taking("c1"));
      await rooms.say(ref, { text: "Hello.", at: 2_000 });
      const foreign = { ...ref, tenant: "other" };
      assert.deepEqual([await rooms.events(foreign), await rooms.messages(foreign)], [[], []]);
      assert.equal(await rooms.working("other", "c1"), undefined);
      assert.equal(await rooms.complete(foreign, { event: 1, at: 3_000 }), false);
      assert.equal(await rooms.resolve(foreign, { event: 1, by: ann, at: 3_000 }), false);
      assert.equal(await rooms.take(foreign, taking("c2")), undefined);
      assert.equal(await rooms.endCycle(foreign, { cycle: 1, at: 3_000 }), false);
      assert.equal((await rooms.get(foreign))?.title, "Theirs");
      assert.equal(await rooms.change({ ...foreign, tenant: "third" }, { title: "Spied" }), false);
      assert.equal(await rooms.remove(foreign), true);
      assert.deepEqual(await states(rooms), ["1 taken"]);
    }),
    withRooms("is due with the first event, and opens one cycle for many that take it at once", async ({ rooms, reopen }) => {
      await rooms.create(makeRoom());
      assert.deepEqual(await due(rooms, 9_000), []);
      const first = await rooms.post(ref, posted("a\u0000b"));
      assert.deepEqual(first, { event: 1, ...posted("a\u0000b"), state: "queued", missed: 0 });
      assert.deepEqual([await due(rooms, 1_499), await due(rooms, 1_500)], [[], ["acme r1"]]);
      const other = await reopen();
      const taken = await Promise.all(["c1", "c2", "c3", "c4"].map((each, index) => (index % 2 ? rooms : other).take(ref, taking(each))));
      const [cycle, ...more] = taken.filter((each) => each !== undefined);
      assert.equal(more.length, 0);
      assert.deepEqual([cycle?.cycle, cycle?.room.isWorking, cycle?.summary], [1, true, undefined]);
      assert.deepEqual(cycle?.events, [{ event: 1, ...posted("a\u0000b"), state: "taken", missed: 0 }]);
      assert.equal((await rooms.working("acme", cycle?.conversation ?? ""))?.id, "r1");
      assert.equal(await rooms.working("acme", "c9"), undefined);
    }),
    withRooms("gives an open cycle again when it is to be looked at, as it began", async ({ rooms }) => {
      await rooms.create(makeRoom());
      await rooms.post(ref, posted("one"));
      const began = await rooms.take(ref, taking("c1"));
      await rooms.post(ref, posted("two", 2_500));
      assert.deepEqual([await due(rooms, 6_999), await due(rooms, 7_000)], [[], ["acme r1"]]);
      assert.equal(await rooms.take(ref, taking("c2", 6_999)), undefined);
      const again = await rooms.take(ref, taking("c2", 7_000));
      assert.deepEqual([again?.cycle, again?.conversation, again?.events], [1, "c1", began?.events]);
      assert.equal(await rooms.take(ref, taking("c2", 7_001)), undefined);
    }),
    withRooms("takes twenty events at most, those first that wait for longest", async ({ rooms }) => {
      await rooms.create(makeRoom());
      for (let event = 1; event <= 22; event += 1) await rooms.post(ref, posted(`event ${event}`));
      const cycle = await rooms.take(ref, taking("c1"));
      assert.deepEqual(
        cycle?.events.map(({ event }) => event),
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
      assert.deepEqual([(await rooms.get(ref))?.open, (await states(rooms)).at(-1)], [22, "22 queued"]);
    }),
    withRooms(
      "ends with a cycle what it completed; the rest returns, and goes to a person after three cycles",
      async ({ rooms, reopen }) => {
        await rooms.create(makeRoom());
        await rooms.post(ref, posted("one"));
        await rooms.post(ref, posted("two"));
        await rooms.take(ref, taking("c1"));
        assert.equal(await rooms.complete(ref, { event: 1, outcome: "Paid.\u0000", at: 2_100 }), true);
        assert.equal(await rooms.complete(ref, { event: 1, at: 2_200 }), true);
        assert.equal(await rooms.complete(ref, { event: 3, at: 2_200 }), false);
        assert.equal(await rooms.endCycle(ref, { cycle: 2, at: 2_300 }), false);
        assert.equal(await rooms.endCycle(ref, { cycle: 1, at: 2_300 }), true);
        assert.equal(await rooms.endCycle(ref, { cycle: 1, at: 2_300 }), false);
        assert.deepEqual(await states(rooms), ["1 done", "2 queued"]);
        assert.equal(await rooms.complete(ref, { event: 2, at: 2_400 }), false);
        const done = (await rooms.events(ref)).at(-1);
        assert.deepEqual([done?.outcome?.startsWith("Paid."), done?.closedAt], [true, 2_100]);
        const other = await reopen();
        for (const cycle of [2, 3]) {
          assert.deepEqual(await due(other, 3_000), ["acme r1"]);
          assert.equal((await other.take(ref, taking("c2", 3_000)))?.cycle, cycle);
          await other.endCycle(ref, { cycle, error: "The model does not answer.", at: 3_000 });
        }
        assert.deepEqual(await states(rooms), ["1 done", "2 for_person"]);
        assert.deepEqual(await due(rooms, 9_000), []);
        const { error, open, forPerson, cycles, isWorking } = (await rooms.get(ref)) ?? {};
        assert.deepEqual([error, open, forPerson, cycles, isWorking], ["The model does not answer.", 0, 1, 3, false]);
      },
    ),
    withRooms("hands what a cycle left to a person at once, who resolves it", async ({ rooms }) => {
      await rooms.create(makeRoom());
      for (const text of ["one", "two", "three"]) await rooms.post(ref, posted(text));
      await rooms.take(ref, taking("c1"));
      await rooms.post(ref, posted("four"));
      assert.equal(await rooms.resolve(ref, { event: 1, by: ann, at: 2_100 }), false);
      await rooms.complete(ref, { event: 1, at: 2_100 });
      await rooms.endCycle(ref, { cycle: 1, toPerson: true, at: 2_200 });
      assert.deepEqual(await states(rooms), ["1 done", "2 for_person", "3 for_person", "4 queued"]);
      assert.equal(await rooms.resolve(ref, { event: 2, outcome: "By phone.", by: ann, at: 2_300 }), true);
      assert.equal(await rooms.resolve(ref, { event: 4, by: ann, at: 2_300 }), true);
      assert.equal(await rooms.resolve(ref, { event: 1, by: ann, at: 2_300 }), false);
      assert.deepEqual(await states(rooms), ["1 done", "2 resolved", "3 for_person", "4 resolved"]);
      const resolved = (await rooms.events(ref)).find(({ event }) => event === 2);
      assert.deepEqual([resolved?.outcome, resolved?.closedBy, resolved?.closedAt], ["By phone.", ann, 2_300]);
      assert.equal(await rooms.take(ref, taking("c1", 3_000)), undefined);
      assert.deepEqual(await due(rooms, 9_000), []);
    }),
    withRooms("goes on in one conversation, and begins another one with what the agent wrote down", async ({ rooms }) => {
      await rooms.create(makeRoom());
      const cycle = async (number: number, conversation: string) => {
        await rooms.post(ref, posted(`event ${number}`));
        const taken = await rooms.take(ref, taking(conversation));
        await rooms.complete(ref, { event: number, at: 2_100 });
        return taken;
      };
      const end = (number: number) => rooms.endCycle(ref, { cycle: number, at: 2_100 });
      await cycle(1, "c1");
      await end(1);
      assert.equal((await cycle(2, "c2"))?.conversation, "c1");
      assert.equal(await rooms.compact(ref, "So\u0000 far."), true);
      await end(2);
      const third = await cycle(3, "c3");
      assert.deepEqual([third?.conversation, third?.summary?.endsWith(" far.")], ["c3", true]);
      await end(3);
      const fourth = await cycle(4, "c4");
      assert.deepEqual([fourth?.conversation, fourth?.summary], ["c3", undefined]);
    }),
    withRooms("keeps what the agent said, newest first, with what it had read that nobody here wrote", async ({ rooms, reopen }) => {
      await rooms.create(makeRoom());
      const foreign = { kind: "web", place: "https://a.example/\u0000\ud800", callId: "call_1", tool: "web_fetch", at: 1_999 } as const;
      await rooms.say(ref, { text: "To all\u0000.", at: 2_000 });
      await rooms.say(ref, { text: "To you.", to: "ann", at: 2_001, foreign });
      const said = await (await reopen()).messages(ref);
      assert.deepEqual(said[0], { message: 2, text: "To you.", to: "ann", at: 2_001, foreign });
      assert.deepEqual([said.length, said[1]?.message, said[1]?.to, said[1]?.foreign], [2, 1, undefined, undefined]);
    }),
    withRooms("tells that rooms may be due", async ({ rooms, reopen }) => {
      await rooms.create(makeRoom());
      const other = await reopen();
      const heard = new Promise<void>((resolve) => {
        const stop = other.onDue(() => {
          stop();
          resolve();
        });
      });
      await rooms.post(ref, posted("one"));
      await heard;
    }),
  ];
}
