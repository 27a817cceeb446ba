import assert from "node:assert/strict";
import { ToolwrightError } from "../contract/errors.ts";
import type { ArtifactStore } from "../ports/artifact-store.ts";
import { type ConformanceCase, casesOn } from "./conformance-case.ts";

const owner = { tenant: "acme", session: "s1", callId: "call_1" };
const meta = { name: "out.txt", mediaType: "text/plain" };
const isMissing = (error: unknown) => ToolwrightError.is(error) && error.code === "artifact_not_found";

/** What every artifact store must do. */
export function artifactStoreConformance(
  open: () => Promise<{ readonly store: ArtifactStore; readonly cleanup: () => Promise<void> }>,
): readonly ConformanceCase[] {
  const withStore = casesOn(open);
  const save = async (store: ArtifactStore, text: string, by = owner) => {
    const writer = await store.create(by, meta);
    await writer.write(Buffer.from(text));
    return writer.finish();
  };
  return [
    withStore("gives back the bytes and the facts", async ({ store }) => {
      const writer = await store.create(owner, meta);
      await writer.write(Buffer.from("hello "));
      await writer.write(Buffer.from("world"));
      const ref = await writer.finish();
      assert.equal(ref.size, 11);
      assert.equal(ref.name, "out.txt");
      assert.equal(ref.mediaType, "text/plain");
      const { bytes } = await store.read("acme", ref.id);
      assert.equal(Buffer.from(bytes).toString(), "hello world");
    }),
    withStore("keeps what it was given when the writer's buffer changes afterwards", async ({ store }) => {
      const chunk = Buffer.from("abc");
      const writer = await store.create(owner, meta);
      await writer.write(chunk);
      chunk.fill(0);
      const { bytes } = await store.read("acme", (await writer.finish()).id);
      assert.equal(Buffer.from(bytes).toString(), "abc");
    }),
    withStore("reads a range, also past the end", async ({ store }) => {
      const { id } = await save(store, "0123456789");
      const text = async (offset: number, length?: number) =>
        Buffer.from((await store.read("acme", id, { offset, ...(length !== undefined && { length }) })).bytes).toString();
      assert.equal(await text(2, 3), "234");
      assert.equal(await text(8, 100), "89");
      assert.equal(await text(50, 5), "");
      assert.equal(await text(7), "789");
    }),
    withStore("answers another tenant as if there were nothing (R-TN-3)", async ({ store }) => {
      const { id } = await save(store, "secret");
      await assert.rejects(store.read("other", id), isMissing);
      await assert.rejects(store.read("acme", "art_missing"), isMissing);
      await assert.rejects(store.read("acme", "../../etc/passwd"), isMissing);
      assert.deepEqual(await store.list("other", "s1"), []);
    }),
    withStore(
      "lists a session's artifacts, newest first, of one call alone where that is asked, and not a discarded one",
      async ({ store }) => {
        const first = await save(store, "1");
        const second = await save(store, "2");
        await save(store, "3", { ...owner, session: "s2" });
        const other = await save(store, "other call", { ...owner, callId: "call_other", session: "s3" });
        await save(store, "5", { ...owner, session: "s3" });
        assert.deepEqual(
          (await store.list("acme", "s3", "call_other")).map(({ id }) => id),
          [other.id],
        );
        const discarded = await store.create(owner, meta);
        await discarded.write(Buffer.from("4"));
        await discarded.discard();
        assert.deepEqual(
          (await store.list("acme", "s1")).map(({ id }) => id),
          [second.id, first.id],
        );
      },
    ),
  ];
}
