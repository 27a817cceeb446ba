import type { ArtifactStore, ArtifactWriter } from "@toolwright/engine/ports";
import { artifactStoreConformance, createManualClock } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRetention } from "../retention/retention.ts";
import { countWaiting } from "../testing/count-waiting.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { chunkBytes } from "./chunk-bytes.ts";
import { createPostgresArtifactStore } from "./postgres-artifact-store.ts";

const meta = { name: "out.bin", mediaType: "application/octet-stream" };

describe.each(testDatabaseKinds)("artifacts in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  let store: ArtifactStore;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    store = createPostgresArtifactStore(test.database);
  });
  afterAll(() => test.cleanup());

  const empty = async () => {
    await test.database.asSystem((query) => sql`delete from toolwright.artifacts`.execute(query));
    await test.database.asSystem((query) => sql`delete from toolwright.artifact_contents`.execute(query));
  };
  const sweep = (inMs: number) => createRetention(test.database, { process: "p", clock: createManualClock(Date.now() + inMs) }).tidy();
  const save = async (bytes: Uint8Array, { tenant = "acme", step = 100_000 } = {}) => {
    const writer = await store.create({ tenant, session: "s1", callId: "c1" }, meta);
    for (let start = 0; start < bytes.length; start += step) await writer.write(bytes.subarray(start, start + step));
    return writer.finish();
  };
  const count = async (table: string) => {
    const { rows } = await test.database.asSystem((query) =>
      sql<{ count: number }>`select count(*) from ${sql.table(`toolwright.${table}`)}`.execute(query),
    );
    return rows[0]?.count;
  };
  const pattern = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 31) % 251);

  const opened = async () => {
    await empty();
    return { store, cleanup: async () => {} };
  };
  for (const { name, run } of artifactStoreConformance(opened)) it(name, run);

  it.each([
    ["nothing", 0],
    ["less than a chunk", 10],
    ["a chunk", chunkBytes],
    ["a chunk and a byte", chunkBytes + 1],
    ["several chunks", 3 * chunkBytes + 77],
  ])("gives back %s as it was written, and any part of it", async (_, length) => {
    const bytes = pattern(length);
    const { id, size } = await save(bytes);
    expect(size).toBe(length);
    expect(Buffer.compare((await store.read("acme", id)).bytes, bytes)).toBe(0);
    for (const [offset, part] of [
      [0, 1],
      [chunkBytes - 3, 7],
      [chunkBytes, chunkBytes],
      [length - 1, 100],
    ] as const) {
      if (offset < 0) continue;
      const read = await store.read("acme", id, { offset, length: part });
      expect(Buffer.compare(read.bytes, bytes.subarray(offset, offset + part))).toBe(0);
    }
  });

  it("keeps the same bytes once for a tenant, also when they are finished at once", async () => {
    await empty();
    const bytes = pattern(chunkBytes + 5);
    const refs = await Promise.all([save(bytes), save(bytes), save(bytes)]);
    expect(new Set(refs.map(({ id }) => id)).size).toBe(3);
    expect(await count("artifact_contents")).toBe(1);
    expect(await count("artifact_chunks")).toBe(2);
  });

  it("never shares between tenants: what one has shows in nothing that another can see (R-TN-3)", async () => {
    await empty();
    const bytes = pattern(1_000);
    await save(bytes);
    await save(bytes, { tenant: "other" });
    expect(await count("artifact_contents")).toBe(2);
    const { rows } = await test.database.asTenant("other", (query) =>
      sql`select tenant from toolwright.artifact_contents union all select tenant from toolwright.artifact_chunks union all select tenant from toolwright.artifacts`.execute(
        query,
      ),
    );
    expect(rows).toEqual(Array(3).fill({ tenant: "other" }));
  });

  it("sweeps what was begun and not finished, and leaves what is still written", async () => {
    await empty();
    const left = await store.create({ tenant: "acme", session: "s1", callId: "c1" }, meta);
    await left.write(pattern(chunkBytes));
    expect(await sweep(0)).toEqual({});
    expect(await sweep(2 * 3_600_000)).toEqual({ "unused records": 1 });
    expect(await count("artifact_chunks")).toBe(0);
    await expect(left.write(pattern(chunkBytes))).rejects.toThrow();
    await expect(left.finish()).rejects.toThrow();
  });

  it("does not sweep what was begun long ago and is written on", async () => {
    await empty();
    const bytes = pattern(2 * chunkBytes);
    const slow = await store.create({ tenant: "acme", session: "s1", callId: "c1" }, meta);
    await slow.write(bytes.subarray(0, chunkBytes));
    await sql`update toolwright.artifact_contents set written_at = now() - interval '2 hours'`.execute(test.database.owner);
    await slow.write(bytes.subarray(chunkBytes));
    expect(await sweep(0)).toEqual({});
    const { id } = await slow.finish();
    expect(Buffer.compare((await store.read("acme", id)).bytes, bytes)).toBe(0);
  });

  /** Finishes them while a lock holds them up in the middle, and goes on with `meanwhile` when all of them wait. */
  const finishHeldUp = async (writers: readonly ArtifactWriter[], lock: string, meanwhile: () => Promise<unknown> = async () => {}) => {
    const finished = await test.database.owner.transaction().execute(async (query) => {
      await sql.raw(lock).execute(query);
      const finishing = Promise.allSettled(writers.map((writer) => writer.finish()));
      await expect.poll(() => countWaiting(test.database.owner)).toBe(writers.length);
      await meanwhile();
      return { finishing };
    });
    return finished.finishing;
  };
  const begin = async (bytes: Uint8Array) => {
    const writer = await store.create({ tenant: "acme", session: "s1", callId: "c1" }, meta);
    await writer.write(bytes);
    return writer;
  };

  it.runIf(kind === "server")("takes the same bytes of two who both finish before the other is done", async () => {
    await empty();
    const bytes = pattern(chunkBytes);
    const finished = await finishHeldUp([await begin(bytes), await begin(bytes)], "lock table toolwright.artifacts in share mode");
    expect(finished.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
    expect(await count("artifact_contents")).toBe(1);
  });

  it.runIf(kind === "server")("does not sweep bytes that nothing holds any more while another artifact takes them up", async () => {
    await empty();
    const bytes = pattern(chunkBytes);
    const first = await save(bytes);
    // The second one has found the bytes by then, and not yet named them.
    const lock = "select from toolwright.artifact_contents where hash is null for update";
    const [finished] = await finishHeldUp([await begin(bytes)], lock, async () => {
      await sql`delete from toolwright.artifacts where artifact = ${first.id}`.execute(test.database.owner);
      expect(await sweep(0)).toEqual({});
    });
    expect(finished?.status).toBe("fulfilled");
    expect(await count("artifacts")).toBe(1);
  });

  it.each([
    ["session", { sessionBytes: 1_000 }],
    ["tenant", { tenantBytes: 1_000 }],
  ] as const)("refuses with a code what does not fit the quota of a %s, and takes it when room is given back", async (quota, quotas) => {
    await empty();
    const small = createPostgresArtifactStore(test.database, { quotas });
    const keep = async (length: number, owner: object = {}) => {
      const writer = await small.create({ tenant: "acme", session: "s1", callId: "c1", ...owner }, meta);
      await writer.write(pattern(length));
      return writer.finish();
    };
    const { id } = await keep(600);
    await expect(keep(401)).rejects.toMatchObject({ code: "artifact_quota", details: { quota, limit: 1_000 } });
    await keep(400);
    await expect(keep(1)).rejects.toMatchObject({ code: "artifact_quota" });
    await keep(1, { tenant: "other" });
    if (quota === "session") await keep(2, { session: "s2" });
    await sql`delete from toolwright.artifacts where artifact = ${id}`.execute(test.database.owner);
    expect((await keep(3)).size).toBe(3);
  });

  it("refuses what does not fit the quota of a person, over all their sessions and no other's (R-SH-2)", async () => {
    await empty();
    const small = createPostgresArtifactStore(test.database, { quotas: { personBytes: 1_000 } });
    const own = async (session: string, owner: string) =>
      sql`insert into toolwright.sessions (tenant, session, owner, created_at, last_at) values ('acme', ${session}, ${owner}, now(), now())`.execute(
        test.database.owner,
      );
    for (const session of ["a1", "a2"]) await own(session, "ann");
    await own("b1", "bob");
    const keep = async (session: string, length: number) => {
      const writer = await small.create({ tenant: "acme", session, callId: "c1" }, meta);
      await writer.write(pattern(length));
      return writer.finish();
    };
    await keep("a1", 600);
    await expect(keep("a2", 401)).rejects.toMatchObject({
      code: "artifact_quota",
      message: expect.stringMatching(/raise the quota\. toolwright usage limits and the page \/usage show your limits.$/),
      details: { quota: "person", limit: 1_000 },
    });
    await keep("b1", 401);
  });

  it("leaves nothing of an artifact that passes its quota in the middle", async () => {
    await empty();
    const small = createPostgresArtifactStore(test.database, { quotas: { sessionBytes: 2 * chunkBytes } });
    const writer = await small.create({ tenant: "acme", session: "s1", callId: "c1" }, meta);
    await writer.write(pattern(chunkBytes));
    await expect(writer.write(pattern(2 * chunkBytes))).rejects.toMatchObject({ code: "artifact_quota" });
    await writer.discard();
    expect(await count("artifact_chunks")).toBe(0);
  });

  it("says when the bytes are not the ones that were stored", async () => {
    const { id } = await save(pattern(99));
    await sql`update toolwright.artifact_chunks set bytes = set_byte(bytes, 3, 255) where tenant = 'acme' and octet_length(bytes) = 99`.execute(
      test.database.owner,
    );
    await expect(store.read("acme", id)).rejects.toMatchObject({ code: "store_failed" });
  });
});
