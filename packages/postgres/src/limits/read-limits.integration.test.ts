import type { Principal } from "@toolwright/engine";
import { createRandomIds, type NewDocument, putDocument, systemClock } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresArtifactStore } from "../artifacts/postgres-artifact-store.ts";
import { createPostgresJobs } from "../jobs/postgres-jobs.ts";
import { createPostgresKnowledge } from "../knowledge/postgres-knowledge.ts";
import { readSearchAids } from "../search/search-aids.ts";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import { noVectors } from "../vectors/stored-vectors.ts";
import { createPostgresLimiter } from "./postgres-limiter.ts";
import { createPostgresLimitReader } from "./read-limits.ts";

const person = (id: string, tenant = "acme"): Principal => ({ tenant, actor: { kind: "user", id }, permissions: [], door: "rest" });
const helperOf = (id: string): Principal => ({ ...person(id), actor: { kind: "agent", id: "helper" }, onBehalfOf: id });

describe("limits that a person reads", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("embedded");
  });
  afterAll(() => test.cleanup());

  it("are those that refuse, with what the person and their agents have of each, and nothing of others (R-SH-2)", async () => {
    const { database } = test;
    const limiter = createPostgresLimiter(database);
    const limits = createPostgresLimitReader(database, { limiter, clock: systemClock, artifactBytes: 1_000 });
    const usedBy = async (principal: Principal) =>
      Object.fromEntries((await limits.read(principal)).map(({ limit, used, most }) => [limit, [used, most]]));
    const nothing = {
      ...{ sessionsOfADay: [0, 1_000], openUploads: [0, 20], uploads: [0, 1_000], uploadBytes: [0, 2_000_000_000] },
      ...{ jobs: [0, 1_000], artifactBytes: [0, 1_000] },
    };
    expect(await usedBy(person("ann"))).toEqual(nothing);

    await limiter.reserve({ tenant: "acme", key: "sessions of user ann" }, { count: 1_000, windowMs: 86_400_000 }, systemClock.now());
    const knowledge = createPostgresKnowledge(database, { findAids: () => readSearchAids(database), vectors: noVectors("None here.") });
    const document = (place: string): NewDocument => ({
      ...{ collection: "default", title: place, source: { kind: "file", place }, mediaType: "text/plain", hash: place, trust: "foreign" },
      ...{ sources: [], by: { kind: "agent", id: "helper" }, sharer: "user ann", at: Date.now() },
    });
    await knowledge.begin("acme", document("begun"));
    await putDocument(knowledge, { ...document("whole"), tenant: "acme" }, Buffer.from("twelve bytes"));
    const jobs = createPostgresJobs(database, { ids: createRandomIds(), now: Date.now });
    for (const by of [person("ann"), helperOf("ann")]) await jobs.enqueue(by, { tool: "echo", input: {} });
    await sql`insert into toolwright.sessions (tenant, session, owner, created_at, last_at) values ('acme', 'a1', 'ann', now(), now())`.execute(
      database.owner,
    );
    const writer = await createPostgresArtifactStore(database).create(
      { tenant: "acme", session: "a1", callId: "c1" },
      { name: "out", mediaType: "text/plain" },
    );
    await writer.write(Buffer.alloc(300));
    await writer.finish();

    const all = {
      ...{ sessionsOfADay: [1, 1_000], openUploads: [1, 20], uploads: [2, 1_000], uploadBytes: [12, 2_000_000_000] },
      ...{ jobs: [2, 1_000], artifactBytes: [300, 1_000] },
    };
    for (const who of [person("ann"), helperOf("ann")]) expect(await usedBy(who)).toEqual(all);
    for (const who of [person("bob"), helperOf("bob"), person("ann", "other")]) expect(await usedBy(who)).toEqual(nothing);
  });
});
