import assert from "node:assert/strict";
import { sha256 } from "../contract/digest.ts";
import { type Chunk, type IngestRef, type KnowledgeStore, mostPartBytes, type NewDocument, putDocument } from "../ports/knowledge-store.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

const ann = { kind: "user", id: "ann" } as const;

interface OpenKnowledge {
  readonly store: KnowledgeStore;
  /** As another process has it. */
  readonly reopen: () => Promise<KnowledgeStore>;
  readonly cleanup: () => Promise<void>;
}

const newDocument = (text: string, more: Partial<NewDocument> = {}): NewDocument => ({
  ...{ collection: "handbook", title: "Handbook.md", source: { kind: "file", place: "/docs/Handbook.md" }, mediaType: "text/markdown" },
  ...{ hash: sha256(text), trust: "foreign", sources: [], by: ann, sharer: "user ann", at: 1_000, ...more },
});

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Puts a text in, and gives what waits. */
async function put(store: KnowledgeStore, text: string, { tenant = "acme", ...more }: Partial<NewDocument> & { tenant?: string } = {}) {
  const { document } = await putDocument(store, { ...newDocument(text, more), tenant }, bytesOf(text));
  const [due] = (await store.due({ now: 9_000_000, limit: 99 })).filter((ref) => ref.document === document.id);
  assert.ok(due);
  return { document, ref: due };
}

function chunksOf(texts: readonly string[]): readonly Chunk[] {
  let from = 0;
  return texts.map((text, index) => {
    const index_ = { folded: text.toLowerCase().replaceAll(".", ""), names: "", language: "english" };
    const chunk = { text, headings: ["Refunds"], page: index + 1, cell: 7, lines: [index + 1, index + 1] as const, from, index: index_ };
    from += text.length + 2;
    return chunk;
  });
}

const install = (store: KnowledgeStore, ref: IngestRef, texts: readonly string[], holder = "one") =>
  store.install(ref, { holder, pages: texts.length, chunks: chunksOf(texts), at: 3_000 });

/** Puts a document in whose passages these are. */
async function ready(store: KnowledgeStore, texts: readonly string[], more: Partial<NewDocument> & { tenant?: string } = {}) {
  const { document, ref } = await put(store, texts.join("\n"), more);
  assert.ok(await store.take(ref, { holder: "one", until: 9_001_000 }, 9_000_000));
  assert.equal(await install(store, ref, texts), true);
  return document.id;
}

const queryOf = (...words: string[]) => ({ words, codes: [], folded: words.join(" "), language: "english" });

async function find(store: KnowledgeStore, word: string, { tenant = "acme", collection }: { tenant?: string; collection?: string } = {}) {
  const { items } = await store.search(tenant, { ...queryOf(word), ...(collection !== undefined && { collection }) });
  return [...items.values()].map(({ text }) => text).sort();
}

/** What every store of documents must do. `open` gives one on an empty place with the tenants `acme` and `other`. */
export function knowledgeStoreConformance(open: () => Promise<OpenKnowledge>): readonly ConformanceCase[] {
  const withStore = casesOn(open);
  return [
    withStore("takes a document in that is queued, read by one run, and found with its pages and lines", async ({ store, reopen }) => {
      const { document, ref } = await put(store, "text");
      assert.equal(document.nextVersion, 1);
      const { nextVersion: _, ...queued } = document;
      const { hash } = document;
      assert.deepEqual(queued, {
        ...{ id: document.id, tenant: "acme", collection: "handbook", title: "Handbook.md", mediaType: "text/markdown", hash },
        ...{ source: { kind: "file", place: "/docs/Handbook.md" }, trust: "foreign", version: 0, state: "queued", chunks: 0 },
        ...{ writtenBy: ann, createdAt: 1_000, updatedAt: 1_000 },
      });
      const other = await reopen();
      const lease = { holder: "one", until: 5_000 };
      const jobs = await Promise.all([store.take(ref, lease, 2_000), other.take(ref, { ...lease, holder: "two" }, 2_000)]);
      const taken = jobs.filter((job) => job !== undefined);
      assert.equal(taken.length, 1);
      const [job] = taken;
      assert.equal(Buffer.from((await job?.bytes()) ?? []).toString(), "text");
      assert.deepEqual([job?.attempts, job?.given, job?.record.state], [0, newDocument("text"), "reading"]);
      const holder = jobs[0] ? "one" : "two";
      assert.equal(await install(other, ref, ["Refunds take ten days.", "Returns are free."], holder), true);
      const { items, notSearched, total } = await store.search("acme", queryOf("refunds"));
      const [[id, passage] = []] = [...items];
      assert.ok(id && passage);
      const record = await store.get("acme", document.id);
      assert.deepEqual(passage, {
        ...{ id, text: "Refunds take ten days.", headings: ["Refunds"], page: 1, cell: 7, lines: [1, 1], from: 0, document: record },
      });
      assert.deepEqual([notSearched, total], [[], 2]);
      assert.deepEqual([record?.state, record?.version, record?.chunks, record?.pages, record?.nextVersion], ["ready", 1, 2, 2, undefined]);
      assert.deepEqual(await store.due({ now: 9_000_000, limit: 9 }), []);
    }),
    withStore("writes nothing for a version whose hash and media type are the last one's, also while that waits", async ({ store }) => {
      const { document, ref } = await put(store, "one");
      assert.deepEqual(await store.begin("acme", newDocument("one", { at: 2_000 })), { unchanged: document });
      await store.take(ref, { holder: "one", until: 5_000 }, 2_000);
      await install(store, ref, ["one"]);
      const again = await putDocument(store, { ...newDocument("one", { at: 4_000 }), tenant: "acme" }, bytesOf("one"));
      assert.deepEqual(again, { document: await store.get("acme", document.id), unchanged: true });
      assert.equal(again.document.updatedAt, 3_000);
      const renamed = await store.begin("acme", { ...newDocument("one", { at: 5_000 }), mediaType: "text/plain; charset=koi8-r" });
      assert.equal("unchanged" in renamed, false);
    }),
    withStore("keeps one document for one place of a collection, and others apart", async ({ store }) => {
      const id = await ready(store, ["one"]);
      assert.equal((await put(store, "two")).document.id, id);
      assert.notEqual((await put(store, "two", { collection: "other" })).document.id, id);
      const texts = await Promise.all([1, 2].map(() => put(store, "text", { source: { kind: "text" } })));
      assert.equal(new Set(texts.map(({ document }) => document.id)).size, 2);
      await assert.rejects(store.begin("acme", newDocument("x", { id: "doc_none" })), { code: "document_not_found" });
      const there = await ready(store, ["four"], { source: { kind: "file", place: "/docs/Four.md" } });
      await assert.rejects(store.begin("acme", newDocument("x", { id: there })), { code: "invalid_input" });
      const named = await put(store, "three", { id, source: { kind: "text" } });
      assert.equal(named.document.id, id);
    }),
    withStore("answers with the version before until the new one is whole", async ({ store, reopen }) => {
      const id = await ready(store, ["Old words.", "More old words."]);
      const { ref, document } = await put(store, "new", { title: "New.md" });
      assert.deepEqual([document.state, document.version, document.title, document.nextVersion], ["queued", 1, "Handbook.md", 2]);
      await store.take(ref, { holder: "one", until: 9_001_000 }, 9_000_000);
      assert.deepEqual([await find(store, "old"), await find(store, "new")], [["More old words.", "Old words."], []]);
      const [unsearched] = (await store.search("acme", queryOf("old"))).notSearched;
      assert.deepEqual(unsearched, { id, title: "Handbook.md", state: "reading" });
      assert.equal(await install(store, ref, ["New words."]), true);
      const other = await reopen();
      assert.deepEqual([await find(other, "old"), await find(other, "new")], [[], ["New words."]]);
      assert.deepEqual(await other.read("acme", id, { offset: 0, length: 99 }), { text: "New words.", total: 10 });
      assert.deepEqual([(await other.get("acme", id))?.title, (await other.get("acme", id))?.version], ["New.md", 2]);
    }),
    withStore("shows a search whole versions only, also while they are replaced", async ({ store, reopen }) => {
      const id = await ready(store, ["Word 0 a.", "Word 0 b."]);
      const other = await reopen();
      let isOver = false;
      const replace = async () => {
        for (let version = 1; version <= 5; version += 1) {
          const { ref } = await put(store, `${version}`);
          await store.take(ref, { holder: "one", until: 9_001_000 }, 9_000_000);
          await install(store, ref, [`Word ${version} a.`, `Word ${version} b.`]);
        }
        isOver = true;
      };
      const replaced = replace();
      const seen: (readonly string[])[] = [];
      while (!isOver) seen.push(await find(other, "word"));
      await replaced;
      for (const texts of seen) {
        assert.equal(texts.length, 2);
        assert.equal(new Set(texts.map((text) => text.split(" ")[1])).size, 1);
      }
      assert.equal((await store.get("acme", id))?.version, 6);
    }),
    withStore(
      "gives a version to another run when the lease of the first is over, and none of what that one does counts",
      async ({ store, reopen }) => {
        const { document, ref } = await put(store, "text");
        const other = await reopen();
        await store.take(ref, { holder: "one", until: 5_000 }, 2_000);
        assert.equal(await store.renew(ref, { holder: "one", until: 6_000 }), true);
        const due = async (now: number) => (await other.due({ now, limit: 9 })).length;
        assert.deepEqual([await due(5_999), await due(6_000)], [0, 1]);
        assert.equal(await other.take(ref, { holder: "two", until: 12_000 }, 5_999), undefined);
        const job = await other.take(ref, { holder: "two", until: 12_000 }, 6_000);
        assert.deepEqual([job?.attempts, Buffer.from((await job?.bytes()) ?? []).toString()], [1, "text"]);
        assert.equal(await store.renew(ref, { holder: "one", until: 20_000 }), false);
        assert.equal(await install(store, ref, ["By one."]), false);
        assert.equal(await store.fail(ref, { holder: "one", error: "late", at: 7_000 }), false);
        assert.equal(await install(other, ref, ["By two."], "two"), true);
        assert.deepEqual([await find(store, "by"), (await store.get("acme", document.id))?.chunks], [["By two."], 1]);
      },
    ),
    withStore("has tenants and their people read in turn, and counts what is being read (R-SH-1)", async ({ store }) => {
      const add = async (place: string, more: Partial<NewDocument> & { tenant?: string }) => {
        const { tenant = "acme", ...said } = more;
        const given = { ...newDocument(place, { source: { kind: "file", place }, title: "a\u0000b", ...said }), tenant };
        const { document } = await putDocument(store, given, bytesOf(place));
        return document.id;
      };
      const flood: string[] = [];
      for (let n = 0; n < 200; n++) flood.push(await add(`ann-${n}`, { at: 1_000 + n }));
      const ofBob = await add("bob", { sharer: "user bob", at: 2_000 });
      const ofOther = await add("other", { tenant: "other", at: 3_000 });
      const next = async (limit: number, now = 9_000_000) => (await store.due({ now, limit })).map(({ document }) => document);
      const first = await next(4);
      assert.equal(first.slice(0, 2).includes(ofOther), true);
      assert.deepEqual([new Set(first.slice(0, 3)), first[3]], [new Set([flood[0], ofOther, ofBob]), flood[1]]);
      // None of several who wait with as many is always last.
      const begun = await Promise.all(Array.from({ length: 40 }, (_, n) => next(1, 9_000_000 + n)));
      assert.deepEqual(new Set(begun.flat()), new Set([flood[0], ofOther, ofBob]));
      const ref = { tenant: "acme", document: flood[0] ?? "", version: 1 };
      assert.ok(await store.take(ref, { holder: "one", until: 9_001_000 }, 9_000_000));
      assert.deepEqual(await next(4), [ofOther, ofBob, flood[1], flood[2]]);
    }),
    withStore("tries a version again when it is to, and gives it up with a reason; the version before stays", async ({ store }) => {
      const id = await ready(store, ["Old words."]);
      const { ref } = await put(store, "new");
      await store.take(ref, { holder: "one", until: 9_001_000 }, 9_000_000);
      assert.equal(await store.fail(ref, { holder: "one", error: "busy\u0000", again: 9_005_000, at: 9_000_001 }), true);
      assert.deepEqual([(await store.get("acme", id))?.state, (await store.get("acme", id))?.error], ["queued", "busy\u0000"]);
      assert.equal(await store.take(ref, { holder: "two", until: 9_010_000 }, 9_004_999), undefined);
      assert.equal((await store.take(ref, { holder: "two", until: 9_010_000 }, 9_005_000))?.attempts, 1);
      assert.equal(await store.fail(ref, { holder: "two", error: "damaged", at: 9_006_000 }), true);
      const failed = await store.get("acme", id);
      assert.deepEqual([failed?.state, failed?.error, failed?.version, failed?.nextVersion], ["failed", "damaged", 1, undefined]);
      assert.deepEqual(await store.due({ now: 9_999_999, limit: 9 }), []);
      assert.deepEqual(await find(store, "old"), ["Old words."]);
      const { document: retried, ref: last } = await put(store, "new");
      assert.deepEqual([retried.state, retried.error], ["queued", undefined]);
      await store.take(last, { holder: "one", until: 9_999_000 }, 9_990_000);
      await store.fail(last, { holder: "one", error: "busy", again: 9_991_000, at: 9_990_001 });
      await store.take(last, { holder: "one", until: 9_999_000 }, 9_991_000);
      assert.equal(await install(store, last, ["New words."]), true);
      assert.deepEqual([(await store.get("acme", id))?.state, (await store.get("acme", id))?.error], ["ready", undefined]);
    }),
    withStore("says of a document that is ready what of it could not be read", async ({ store }) => {
      const { ref, document } = await put(store, "text");
      await store.take(ref, { holder: "one", until: 5_000 }, 2_000);
      await store.install(ref, { holder: "one", unread: "Page 2 is a scan.", chunks: chunksOf(["Words."]), at: 3_000 });
      const found = await store.get("acme", document.id);
      assert.deepEqual([found?.state, found?.error], ["ready", "Page 2 is a scan."]);
    }),
    withStore("has a version that its run gave back taken at once, as if that had not begun", async ({ store, reopen }) => {
      const { document, ref } = await put(store, "text");
      await store.take(ref, { holder: "one", until: 5_000 }, 2_000);
      const other = await reopen();
      assert.equal(await store.release(ref, { holder: "two", at: 2_500 }), false);
      assert.equal(await store.release(ref, { holder: "one", at: 2_500 }), true);
      assert.deepEqual([(await other.get("acme", document.id))?.state, await install(store, ref, ["By one."])], ["queued", false]);
      assert.equal((await other.take(ref, { holder: "two", until: 9_000 }, 2_500))?.attempts, 0);
    }),
    withStore("puts a newer version in the place of one that waits or is read", async ({ store }) => {
      const first = await put(store, "one");
      await store.take(first.ref, { holder: "one", until: 5_000 }, 2_000);
      const second = await put(store, "two");
      assert.equal(second.ref.version, 2);
      assert.equal(await install(store, first.ref, ["First."]), false);
      await store.take(second.ref, { holder: "one", until: 9_001_000 }, 9_000_000);
      assert.equal(await install(store, second.ref, ["Second."]), true);
      assert.deepEqual([await find(store, "first"), await find(store, "second")], [[], ["Second."]]);
    }),
    withStore("finds nothing of what was removed, also while it was read", async ({ store }) => {
      const id = await ready(store, ["Gone a.", "Gone b."]);
      const { ref } = await put(store, "new");
      await store.take(ref, { holder: "one", until: 9_001_000 }, 9_000_000);
      assert.equal(await store.remove("acme", id), 2);
      assert.deepEqual(await find(store, "gone"), []);
      assert.equal(await install(store, ref, ["Gone c."]), false);
      assert.equal(await store.fail(ref, { holder: "one", error: "late", at: 7_000 }), false);
      assert.deepEqual([await store.get("acme", id), await store.read("acme", id, { offset: 0, length: 9 })], [undefined, undefined]);
      assert.equal(await store.remove("acme", id), undefined);
      assert.deepEqual([await find(store, "gone"), await store.due({ now: 9_999_999, limit: 9 })], [[], []]);
    }),
    withStore("takes bytes in parts, in any order and again, and gives them back whole", async ({ store, reopen }) => {
      const text = `${"a".repeat(mostPartBytes)}${"b".repeat(10)}`;
      const begun = await store.begin("acme", newDocument(text));
      assert.ok("upload" in begun);
      const { upload } = begun;
      const other = await reopen();
      const part = (number: number, bytes: string) => ({ part: number, bytes: bytesOf(bytes), at: 1_500 });
      assert.equal(await other.append("acme", upload, part(1, "c")), true);
      assert.equal(await store.append("acme", upload, part(0, text.slice(0, mostPartBytes))), true);
      assert.equal(await store.append("acme", upload, part(1, text.slice(mostPartBytes))), true);
      assert.equal(await store.append("other", upload, part(1, "spied")), false);
      assert.equal(await store.finish("other", upload, 2_000), undefined);
      const document = await other.finish("acme", upload, 2_000);
      assert.ok(document);
      assert.equal(await store.append("acme", "upl_none", part(0, "a")), false);
      assert.equal(await store.finish("acme", "upl_none", 2_000), undefined);
      const job = await store.take({ tenant: "acme", document: document.id, version: 1 }, { holder: "one", until: 5_000 }, 2_000);
      assert.equal(Buffer.from((await job?.bytes()) ?? []).toString(), text);
    }),
    withStore("reads a text from any character on, and lists by collection in pages, newest first", async ({ store }) => {
      const id = await ready(store, ["One \u{1f600}.", "Two.", "Three."]);
      const whole = "One \u{1f600}.\n\nTwo.\n\nThree.";
      for (const [offset, length] of [
        [0, 99],
        [5, 3],
        [7, 1],
        [8, 8],
        [whole.length - 1, 9],
        [whole.length, 9],
      ] as const)
        assert.deepEqual(await store.read("acme", id, { offset, length }), {
          ...{ text: whole.slice(offset, offset + length), total: whole.length },
        });
      const next = await ready(store, ["x"], { source: { kind: "text" }, at: 2_000 });
      const third = await ready(store, ["y"], { source: { kind: "text" }, at: 3_000, collection: "other" });
      const ids = async (page: { collection?: string; cursor?: string; limit?: number }) => {
        const { documents, next: cursor } = await store.list("acme", page);
        return [documents.map((each) => each.id), cursor] as const;
      };
      assert.deepEqual(await ids({}), [[third, next, id], undefined]);
      assert.deepEqual(await ids({ collection: "handbook" }), [[next, id], undefined]);
      const [first, cursor] = await ids({ limit: 2 });
      assert.deepEqual([first, typeof cursor], [[third, next], "string"]);
      assert.deepEqual(await ids({ limit: 2, cursor: cursor ?? "" }), [[id], undefined]);
      await assert.rejects(store.list("acme", { cursor: "x" }), { code: "invalid_input" });
    }),
    withStore("searches one collection, names what was not searched, and keeps odd characters", async ({ store }) => {
      await ready(store, ["Shared word."]);
      await ready(store, ["Shared other."], { collection: "other", title: "a\u0000b\ud800", source: { kind: "file", place: "/x" } });
      const { document } = await put(store, "waits", { source: { kind: "text" } });
      assert.deepEqual(await find(store, "shared", { collection: "other" }), ["Shared other."]);
      assert.deepEqual(await find(store, "shared"), ["Shared other.", "Shared word."]);
      const unsearched = async (collection: string) => (await store.search("acme", { ...queryOf("shared"), collection })).notSearched;
      assert.deepEqual([(await unsearched("handbook")).map(({ id }) => id), await unsearched("other")], [[document.id], []]);
      const { items } = await store.search("acme", { ...queryOf("other"), collection: "other" });
      assert.equal([...items.values()][0]?.document.title, "a\u0000b\ud800");
      assert.deepEqual(await find(store, "zebra"), []);
    }),
    withStore("shows what belongs to a tenant to no other tenant", async ({ store }) => {
      const id = await ready(store, ["Secret word."]);
      const theirs = await ready(store, ["Their word."], { tenant: "other" });
      assert.notEqual(theirs, id);
      assert.deepEqual([await find(store, "word", { tenant: "other" }), await find(store, "word")], [["Their word."], ["Secret word."]]);
      assert.equal((await store.search("other", queryOf("word"))).total, 1);
      assert.deepEqual([await store.get("other", id), await store.read("other", id, { offset: 0, length: 9 })], [undefined, undefined]);
      assert.equal(await store.remove("other", id), undefined);
      await assert.rejects(store.begin("other", newDocument("x", { id })), { code: "document_not_found" });
      const { ref } = await put(store, "new");
      assert.equal(await store.take({ ...ref, tenant: "other" }, { holder: "one", until: 9_001_000 }, 9_000_000), undefined);
      assert.equal(await install(store, { ...ref, tenant: "other" }, ["Spied."]), false);
      assert.deepEqual(
        (await store.list("other", {})).documents.map((each) => each.id),
        [theirs],
      );
    }),
    withStore("tells who listens that a version waits", async ({ store }) => {
      let heard = () => {};
      const hearing = new Promise<void>((resolve) => {
        heard = resolve;
      });
      const stop = store.onDue(heard);
      await put(store, "text");
      await hearing;
      stop();
    }),
  ];
}
