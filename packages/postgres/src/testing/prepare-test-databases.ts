import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { openServer } from "../database/open-server.ts";
import type { Tables } from "../database/tables.ts";
import { createDataFolder, keepTemplate } from "../embedded/template.ts";
import { migrate } from "../migrate/migrate.ts";
import { startTestServer } from "./start-test-server.ts";

export interface TestDatabases {
  /** URL of the server; its database `toolwright_template` is migrated. */
  readonly url: string;
  /** Folder with the migrated embedded database. */
  readonly templates: string;
  stop(): Promise<void>;
}

/** A server and a template for a whole test run: `DATABASE_URL`, where it is set, else one from npm's binaries. `cache` keeps the embedded template. */
export async function prepareTestDatabases(cache: string, url?: string): Promise<TestDatabases> {
  // Nothing of it outlives the run, and to drop a database would wait for the disk each time.
  const server = url === undefined ? await startTestServer(["fsync=off"]) : { url, stop: async () => {} };
  const templates = join(cache, "test-store");
  // Once, before many tests want them at the same time: one with the tenants of the tests, one as the command line makes it.
  await Promise.all([keepTemplate(templates, { fill: addTenants }), keepTemplate(cache), makeTemplateDatabase(server.url)]);
  return { url: server.url, templates, stop: server.stop };
}

/** An embedded database with the tenants of the tests. */
export function createTestFolder(dataDir: string, templates: string): Promise<void> {
  return createDataFolder(dataDir, { cache: templates, fill: addTenants });
}

async function makeTemplateDatabase(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query("drop database if exists toolwright_template");
  await admin.query("create database toolwright_template");
  await admin.end();
  const database = await openServer(Object.assign(new URL(url), { pathname: "/toolwright_template" }).href);
  await migrate(database.owner);
  await addTenants(database.owner);
  await database.close();
}

async function addTenants(db: Kysely<Tables>): Promise<void> {
  await sql`insert into toolwright.tenants (tenant, name) values ('acme', 'Acme'), ('other', 'Other')`.execute(db);
}
