import { randomUUID } from "node:crypto";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Database } from "../database/database.ts";
import { openServer } from "../database/open-server.ts";
import { loadPglite } from "../embedded/load-pglite.ts";
import { openEmbedded } from "../embedded/open-embedded.ts";
import { createTestFolder } from "./prepare-test-databases.ts";

export type TestDatabaseKind = Database["kind"];

export interface TestDatabase {
  readonly database: Database;
  /** Opens it once more: another process's view of a server; the embedded one is closed before. */
  reopen(): Promise<Database>;
  /** URL of a server. */
  readonly url?: string;
  /** Folder of an embedded database. */
  readonly folder?: string;
  cleanup(): Promise<void>;
}

/** Both kinds, for `describe.each`. */
export const testDatabaseKinds: readonly TestDatabaseKind[] = ["embedded", "server"];

/** The databases for tests of what stands above the store and works with either in one way: `TOOLWRIGHT_STORES=short`, as `npm test` has it, leaves it to a server. */
export const productDatabaseKinds: readonly TestDatabaseKind[] = process.env.TOOLWRIGHT_STORES === "short" ? ["server"] : testDatabaseKinds;

/** URL of the server of the test run; its login may create databases. */
export const serverUrl = () => given("TOOLWRIGHT_TEST_DATABASE");

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set. The set-up of the test run calls prepareTestDatabases and sets it.`);
  return value;
}

/** A migrated database of its own, with the tenants `default`, `acme` and `other`. */
export function openTestDatabase(kind: TestDatabaseKind): Promise<TestDatabase> {
  return kind === "server"
    ? openOnServer("toolwright_template")
    : openInFolder((dataDir) => createTestFolder(dataDir, given("TOOLWRIGHT_TEST_TEMPLATES")));
}

/** Opens a test database before any migration. */
export function openEmptyDatabase(kind: TestDatabaseKind): Promise<TestDatabase> {
  return kind === "server" ? openOnServer("template1") : openInFolder(copyEmptyFolder);
}

let emptyFolder: Promise<string> | undefined;

/** To make a cluster anew takes seconds: this process makes one and copies it. */
async function copyEmptyFolder(dataDir: string): Promise<void> {
  emptyFolder ??= makeEmptyFolder();
  cpSync(await emptyFolder, dataDir, { recursive: true });
}

async function makeEmptyFolder(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-empty-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const dataDir = join(folder, "data");
  const pglite = await (await loadPglite()).create({ dataDir });
  await pglite.close();
  return dataDir;
}

async function openOnServer(template: string): Promise<TestDatabase> {
  const { url, drop } = await createServerDatabase(template);
  const opened: Database[] = [];
  const reopen = async () => {
    const database = await openServer(url);
    opened.push(database);
    return database;
  };
  return {
    database: await reopen(),
    reopen,
    url,
    async cleanup() {
      await Promise.all(opened.map((database) => database.close()));
      await drop();
    },
  };
}

/** A migrated database on the server of the test run, for processes that open it themselves. */
export async function createServerDatabase(template = "toolwright_template"): Promise<{ readonly url: string; drop(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // Page by page through the log, as it is by default, takes three times as long.
  await asAdministrator(`create database ${name} template ${template} strategy file_copy`);
  const url = Object.assign(new URL(serverUrl()), { pathname: `/${name}` }).href;
  return { url, drop: () => asAdministrator(`drop database ${name} with (force)`) };
}

async function asAdministrator(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function openInFolder(create: (dataDir: string) => Promise<void>): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-store-"));
  const open = () => openEmbedded(folder, { holder: "a test", create });
  let database = await open();
  return {
    database,
    async reopen() {
      await database.close();
      database = await open();
      return database;
    },
    folder,
    async cleanup() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
