import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sha256 } from "@toolwright/engine";
import { Kysely, PGliteDialect, sql } from "kysely";
import pg from "pg";
import { openServer } from "../database/open-server.ts";
import type { Tables } from "../database/tables.ts";
import { migrate } from "../migrate/migrate.ts";
import { readMigrations } from "../migrate/read-migrations.ts";
import { startTestServer } from "./start-test-server.ts";

export interface TestDatabases {
  /** Of the server; its database `toolwright_template` is migrated. */
  readonly url: string;
  /** File of a migrated embedded database. */
  readonly template: string;
  stop(): Promise<void>;
}

/** A server and a template for a whole test run: `DATABASE_URL`, where it is set, else one from npm's binaries. `cache` keeps the embedded template. */
export async function prepareTestDatabases(cache: string, url?: string): Promise<TestDatabases> {
  const server = url === undefined ? await startTestServer() : { url, stop: async () => {} };
  const [template] = await Promise.all([makeTemplateFile(cache), makeTemplateDatabase(server.url)]);
  return { url: server.url, template, stop: server.stop };
}

async function makeTemplateDatabase(url: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  await admin.query("drop database if exists toolwright_template");
  await admin.query("create database toolwright_template");
  await admin.end();
  const database = await openServer(Object.assign(new URL(url), { pathname: "/toolwright_template" }).href);
  await fill(database.owner);
  await database.close();
}

async function makeTemplateFile(cache: string): Promise<string> {
  const file = join(
    cache,
    `embedded-${sha256(
      readMigrations()
        .map(({ checksum }) => checksum)
        .join(),
    )}.tar`,
  );
  if (existsSync(file)) return file;
  const pglite = await PGlite.create();
  const owner = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
  await fill(owner);
  const dump = await pglite.dumpDataDir("none");
  await owner.destroy();
  mkdirSync(dirname(file), { recursive: true });
  // Written beside and renamed: another run may read it at this moment.
  writeFileSync(`${file}.${process.pid}`, new Uint8Array(await dump.arrayBuffer()));
  renameSync(`${file}.${process.pid}`, file);
  return file;
}

async function fill(db: Kysely<Tables>): Promise<void> {
  await migrate(db);
  await sql`insert into toolwright.tenants (tenant, name) values ('acme', 'Acme'), ('other', 'Other')`.execute(db);
}
