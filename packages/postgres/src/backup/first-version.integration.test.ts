import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { SessionReport } from "@toolwright/engine/ports";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresApprovalStore } from "../approvals/postgres-approval-store.ts";
import type { Database } from "../database/database.ts";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { verifyLog } from "../events/verify-log.ts";
import { createPostgresGrantStore } from "../grants/postgres-grant-store.ts";
import { identifyKey } from "../identity/identify-key.ts";
import { openJobs } from "../jobs/open-jobs.ts";
import { readMigrationState } from "../migrate/migrate.ts";
import { readMigrations } from "../migrate/read-migrations.ts";
import { createKeyring, toMasterKey } from "../secrets/keyring.ts";
import { createPostgresSecretStore } from "../secrets/postgres-secret-store.ts";
import { openEmptyDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresUsageReader } from "../usage/read-usage.ts";
import { restoreBackup } from "./restore-backup.ts";

/** Backups as `toolwright db backup` wrote them. */
const readBackup = (name: string) =>
  gunzipSync(readFileSync(new URL(name, import.meta.url)))
    .toString()
    .split("\n");
/** Backup of the first version whose commands used a store, after they had filled it; nobody ever used its key. */
const lines = readBackup("first-version.jsonl.gz");
/** Backup of the first version that could make a backup: tenants, agents and the log, in tables that have changed since. */
const oldest = readBackup("oldest-backup.jsonl.gz");
const restore = (database: Database, from: readonly string[]) =>
  restoreBackup(
    database,
    (async function* () {
      yield* from;
    })(),
  );
async function verify(database: Database): Promise<readonly SessionReport[]> {
  const reports: SessionReport[] = [];
  for await (const report of verifyLog(database, {})) reports.push(report);
  return reports;
}
const apiKey = "tw_804aee0f2014f95f_z2IIkn7qvE8PaPZGmxDr5ld4okP-5frb7e7mX7ojDPM";
const masterKey = toMasterKey(Buffer.alloc(32, 7));
const soon = Date.UTC(2026, 10, 22, 5);

describe.each(testDatabaseKinds)("a database of the first version, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openEmptyDatabase(kind);
    await restore(test.database, lines);
  });
  afterAll(() => test.cleanup());

  it("takes every migration since with its rows in place", async () => {
    const { migrations } = JSON.parse(lines[0] as string) as { migrations: { name: string }[] };
    const { applied, pending } = await readMigrationState(test.database.owner);
    expect(migrations.map(({ name }) => name)).toEqual(
      readMigrations()
        .slice(0, 9)
        .map(({ name }) => name),
    );
    expect(applied.map(({ name }) => name)).toEqual(readMigrations().map(({ name }) => name));
    expect(pending).toEqual([]);
  });

  it("keeps its log, which goes on where it was", async () => {
    const log = createPostgresEventLog(test.database, "prc_new");
    const facts = { tenant: "default", session: "cli", actor: { kind: "user", id: "ann" }, door: "cli", tool: "add" } as const;
    await log.append([{ ...facts, type: "tool.denied", callId: "call_new", at: soon, data: {} }]);
    expect(await verify(test.database)).toMatchObject([{ session: "cli", events: 14, faults: [] }]);
  });

  it("keeps its secrets, under their key", async () => {
    const secrets = await createPostgresSecretStore(test.database, createKeyring([masterKey]));
    expect(await secrets.get("default", "GITHUB_TOKEN")).toBe("the value of the first version");
    expect(await secrets.get("default", "GITHUB_TOKEN", "reviewer")).toBe("of the reviewer");
    await secrets.close();
  });

  it("keeps what waits for a person, what was allowed, and what was counted", async () => {
    const approvals = await createPostgresApprovalStore(test.database, { process: "prc_new" }).list("default");
    expect(approvals.map(({ record }) => record.summary)).toContain('Run command: {"command":"curl https://example.org"}');
    const grants = await createPostgresGrantStore(test.database).list("default");
    expect(grants).toMatchObject([{ record: { tool: "exec", allows: [{ kind: "command", pattern: "rm a.txt" }] } }]);
    expect(
      await createPostgresUsageReader(test.database).read({ tenant: "default", by: "agent", since: 0, tool: "file_read" }),
    ).toMatchObject([{ calls: 2, done: 1, failed: 1 }]);
  });

  it("keeps who may come in, and what shall run", async () => {
    const parts = { database: test.database, clock: { now: () => soon } as never, known: () => [] };
    expect(await identifyKey(parts, apiKey)).toMatchObject({ tenant: "acme", actor: { kind: "service", id: "key:804aee0f2014f95f" } });
    const { jobs, schedules } = openJobs(test.database, "prc_new");
    const of = { tenant: "default", actor: { kind: "user", id: "root" }, permissions: [], door: "cli", source: "cli" } as const;
    expect(await jobs.list(of, {})).toMatchObject([{ tool: "file_read", state: "queued", input: { path: "README.md" } }]);
    expect(await schedules.list(of)).toMatchObject([{ name: "news", cron: "30 9 * * 1-5", zone: "Europe/Berlin" }]);
    const { rows } = await sql`select agent, tool, enabled from toolwright.agent_tools order by 2`.execute(test.database.owner);
    expect(rows).toHaveLength(3);
  });
});

it.each(testDatabaseKinds)("the oldest backup there is comes to this version with its rows, %s", async (kind) => {
  const test = await openEmptyDatabase(kind);
  try {
    await restore(test.database, oldest);
    expect((await readMigrationState(test.database.owner)).pending).toEqual([]);
    expect(await verify(test.database)).toMatchObject([{ session: "first", events: 40, faults: [] }]);
    const { rows } = await sql`select agent, name from toolwright.agents`.execute(test.database.owner);
    expect(rows).toEqual([{ agent: "reviewer", name: "Reviewer" }]);
  } finally {
    await test.cleanup();
  }
});
