import assert from "node:assert/strict";
import type { MemoryOwner, MemorySearch, MemoryStore, NewMemory } from "../ports/memory-store.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

const own: MemoryOwner = { tenant: "acme", owner: "agent:one" };
const strangers: readonly MemoryOwner[] = [
  { tenant: "acme", owner: "agent:two" },
  { tenant: "acme", owner: "*" },
  { tenant: "other", owner: "agent:one" },
];
const by = { kind: "user", id: "ann" } as const;

function makeMemory(key: string, content: string, more: Partial<NewMemory> = {}): NewMemory {
  const folded = content.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, " ");
  const index = { folded, names: folded.slice(0, 500), language: "english" };
  return { ...{ key, content, category: "core", trust: "agent", sources: [], savedAt: 1_000, by, index }, ...more };
}
const asking = (words: string, more: Partial<MemorySearch> = {}): MemorySearch => ({
  ...{ words: words.split(" "), codes: [], folded: words, language: "english", now: 2_000 },
  ...more,
});

interface OpenMemories {
  readonly memories: MemoryStore;
  /** As another process has it, where there is another. */
  readonly reopen: () => Promise<MemoryStore>;
  readonly cleanup: () => Promise<void>;
}

/** What every store of memories must do. `open` gives one on an empty place. */
export function memoryStoreConformance(open: () => Promise<OpenMemories>): readonly ConformanceCase[] {
  const withMemories = casesOn(open);
  const find = async (memories: MemoryStore, search: MemorySearch, owner = own) =>
    (await memories.search(owner, search)).candidates.map(({ id }) => id);
  return [
    withMemories("keeps an entry with its versions, newest first, and every character of it", async ({ memories, reopen }) => {
      const sources = [{ kind: "web", callId: "call_1", place: "https://a.example/\u0000" }] as const;
      const odd = makeMemory("k", "a\u0000b \ud800 c", { category: "daily", expiresAt: 9_000, trust: "foreign", sources });
      assert.deepEqual(await memories.save(own, odd), { version: 1, created: true });
      const next = makeMemory("k", "Second", { savedAt: 1_500, trust: "person" });
      assert.deepEqual(await memories.save(own, next), { version: 2, created: false });
      const found = await (await reopen()).get(own, "k", 2_000);
      const { by: _, index: __, ...rest } = next;
      assert.deepEqual(found?.memory, { ...rest, version: 2, createdAt: 1_000 });
      assert.deepEqual(found?.versions, [
        { version: 2, content: "Second", category: "core", trust: "person", sources: [], savedAt: 1_500, by },
        { version: 1, content: "a\u0000b \ud800 c", category: "daily", trust: "foreign", sources, savedAt: 1_000, by },
      ]);
      assert.equal(await memories.get(own, "none", 2_000), undefined);
    }),
    withMemories("keeps the last 20 versions, loses no save of one key, and says how many it forgets", async ({ memories, reopen }) => {
      const other = await reopen();
      const saves = Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? memories : other).save(own, makeMemory("k", `Save ${at}`)));
      const numbers = (await Promise.all(saves)).map(({ version }) => version);
      assert.deepEqual(
        numbers.sort((one, two) => one - two),
        Array.from({ length: 24 }, (_, at) => at + 1),
      );
      const versions = (await memories.get(own, "k", 2_000))?.versions.map(({ version }) => version);
      assert.deepEqual(
        versions,
        Array.from({ length: 20 }, (_, at) => 24 - at),
      );
      assert.equal(await memories.forget(own, "k"), 20);
      assert.equal(await memories.forget(own, "k"), 0);
      assert.equal(await other.get(own, "k", 2_000), undefined);
      assert.deepEqual(await memories.save(own, makeMemory("k", "Anew")), { version: 1, created: true });
    }),
    withMemories("shows an entry to no other owner and no other tenant", async ({ memories }) => {
      await memories.save(own, makeMemory("k", "The secret of the owner"));
      for (const stranger of strangers) {
        assert.equal(await memories.get(stranger, "k", 2_000), undefined);
        assert.equal(await memories.forget(stranger, "k"), 0);
        assert.deepEqual(await memories.list(stranger, { now: 2_000 }), { memories: [] });
        const { candidates, total, items } = await memories.search(stranger, asking("secret"));
        assert.deepEqual([candidates, total, items.size], [[], 0, 0]);
      }
      await memories.save(strangers[0] as MemoryOwner, makeMemory("k", "Another"));
      assert.equal((await memories.get(own, "k", 2_000))?.memory.content, "The secret of the owner");
      assert.deepEqual(await memories.owners("acme"), [
        { owner: "agent:one", count: 1 },
        { owner: "agent:two", count: 1 },
      ]);
      assert.deepEqual(await memories.owners("other"), []);
    }),
    withMemories("clears all of one owner alone", async ({ memories }) => {
      const [another] = strangers as readonly [MemoryOwner];
      for (const owner of [own, another]) await memories.save(owner, makeMemory("k", "Something"));
      await memories.clear(own);
      assert.deepEqual(await memories.owners("acme"), [{ owner: "agent:two", count: 1 }]);
      assert.deepEqual(await memories.save(own, makeMemory("k", "Anew")), { version: 1, created: true });
    }),
    withMemories("has no entry that is over, and begins anew where one was", async ({ memories }) => {
      await memories.save(own, makeMemory("k", "Milk is out", { category: "daily", expiresAt: 3_000 }));
      assert.deepEqual(await find(memories, asking("milk", { now: 2_999 })), ["k"]);
      assert.deepEqual(await find(memories, asking("milk", { now: 3_000 })), []);
      assert.equal(await memories.get(own, "k", 3_000), undefined);
      assert.deepEqual(await memories.list(own, { now: 3_000 }), { memories: [] });
      assert.deepEqual(await memories.save(own, makeMemory("k", "Milk is in", { savedAt: 3_000 })), { version: 1, created: true });
      assert.equal((await memories.get(own, "k", 9_000))?.versions.length, 1);
    }),
    withMemories("finds entries of a conversation in their session alone, and those of a category", async ({ memories }) => {
      await memories.save(own, makeMemory("a", "Likes tea", { category: "conversation", session: "s1" }));
      await memories.save(own, makeMemory("b", "Drinks tea daily", { category: "daily" }));
      assert.deepEqual((await find(memories, asking("tea", { session: "s1" }))).sort(), ["a", "b"]);
      assert.deepEqual(await find(memories, asking("tea", { session: "s2" })), ["b"]);
      assert.deepEqual(await find(memories, asking("tea")), ["b"]);
      assert.deepEqual(await find(memories, asking("tea", { session: "s1", category: "conversation" })), ["a"]);
    }),
    withMemories("finds by words, rare ones first, and by codes, and counts words", async ({ memories }) => {
      await memories.save(own, makeMemory("deploys", "Deploys go out on Tuesdays"));
      await memories.save(own, makeMemory("one", "The server ab_12 is in Paris", { savedAt: 1_100 }));
      await memories.save(own, makeMemory("two", "The server cd_34 is in Rome"));
      const { candidates, items, frequencies, total } = await memories.search(own, asking("server paris nothing"));
      assert.deepEqual(
        candidates.map(({ id, text }) => [id, text]),
        [
          ["one", 1],
          ["two", 2],
        ],
      );
      assert.equal(items.get("one")?.content, "The server ab_12 is in Paris");
      assert.equal(items.get("one")?.savedAt, 1_100);
      assert.deepEqual([frequencies, total], [{ server: 2, paris: 1, nothing: 0 }, 3]);
      assert.deepEqual(await find(memories, { ...asking("34"), words: [], codes: ["cd 34"] }), ["two"]);
      assert.deepEqual(await find(memories, asking("' | \u0000 & <->")), []);
    }),
    withMemories("lists entries by their keys, page by page, of a category", async ({ memories }) => {
      for (const key of ["d", "B", "a", "c"]) await memories.save(own, makeMemory(key, key, { category: key === "c" ? "daily" : "core" }));
      const first = await memories.list(own, { limit: 3, now: 2_000 });
      const keysOf = ({ memories: some }: typeof first) => some.map(({ key }) => key);
      assert.deepEqual([keysOf(first), first.next], [["B", "a", "c"], "c"]);
      assert.deepEqual(keysOf(await memories.list(own, { limit: 3, after: "c", now: 2_000 })), ["d"]);
      assert.deepEqual(keysOf(await memories.list(own, { category: "daily", now: 2_000 })), ["c"]);
    }),
  ];
}
