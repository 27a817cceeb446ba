import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresArtifactStore } from "../artifacts/postgres-artifact-store.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { makeEvent, readAll } from "../testing/make-events.ts";
import { anchorHeads } from "./anchor-heads.ts";
import { createPostgresEventLog } from "./postgres-event-log.ts";
import { removeOldSessions } from "./remove-old-sessions.ts";
import { verifyLog } from "./verify-log.ts";

describe.each(testDatabaseKinds)("retention, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  it("removes whole old sessions with their artifacts, and the log still says that it is whole and what was removed", async () => {
    const { database } = test;
    const log = createPostgresEventLog(database, "p1");
    const artifacts = createPostgresArtifactStore(database);
    const keep = async (session: string, text: string) => {
      const writer = await artifacts.create({ tenant: "acme", session, callId: "c" }, { name: "a", mediaType: "text/plain" });
      await writer.write(Buffer.from(text));
      return writer.finish();
    };
    const add = (session: string, at: number) =>
      log.append([1, 2, 3].map((n) => makeEvent({ type: "tool.completed", session, at: at + n, callId: `${session}_${at}_${n}` })));
    await add("old", 1_000);
    await add("new", Date.now());
    await sql`update toolwright.sessions set written_at = last_at where session = 'old'`.execute(database.owner);
    const [own, shared] = [await keep("old", "only here"), await keep("old", "in both")];
    const stays = await keep("new", "in both");
    const anchor = await anchorHeads(database, { at: 1 });

    const counts = await removeOldSessions(database, { before: Date.now() - 60_000, dryRun: true });
    expect(counts).toEqual({ sessions: 1, events: 3, artifacts: 2 });
    expect(await removeOldSessions(database, { before: Date.now() - 60_000 })).toEqual({ sessions: 1, events: 3, artifacts: 2 });
    expect(await removeOldSessions(database, { before: Date.now() - 60_000 })).toEqual({ sessions: 0, events: 0, artifacts: 0 });
    for (const { id } of [own, shared]) await expect(artifacts.read("acme", id)).rejects.toMatchObject({ code: "artifact_not_found" });
    expect(Buffer.from((await artifacts.read("acme", stays.id)).bytes).toString()).toBe("in both");

    const verify = () => readAll(verifyLog(database, { anchor }));
    expect(await verify()).toMatchObject([
      { session: "new", events: 3, faults: [] },
      { session: "old", events: 0, faults: [], removed: { through: 3, at: expect.any(Number) } },
    ]);
    await add("old", Date.now());
    expect((await log.read({ tenant: "acme", session: "old" })).map(({ sequence }) => sequence)).toEqual([4, 5, 6]);
    expect(await verify()).toMatchObject([{ faults: [] }, { session: "old", events: 3, faults: [], removed: { through: 3 } }]);
  });
});
