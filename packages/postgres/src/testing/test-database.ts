import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { Database } from "../database/database.ts";
import { openServer } from "../database/open-server.ts";
import { openEmbedded } from "../embedded/open-embedded.ts";
import { readTestTemplate } from "./prepare-test-databases.ts";

export type TestDatabaseKind = Database["kind"];

export interface TestDatabase {
  readonly database: Database;
  /** Opens it once more: another process's view of a server; the embedded one is closed before. */
  reopen(): Promise<Database>;
  /** Of a server. */
  readonly url?: string;
  /** Of an embedded one. */
  readonly folder?: string;
  cleanup(): Promise<void>;
}

/** Both kinds, for `describe.each`. */
export const testDatabaseKinds: readonly TestDatabaseKind[] = ["embedded", "server"];

const serverUrl = () => given("TOOLWRIGHT_TEST_DATABASE");

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set. The set-up of the test run calls prepareTestDatabases and sets it.`);
  return value;
}

/** A migrated database of its own, with the tenants `default`, `acme` and `other`. */
export function openTestDatabase(kind: TestDatabaseKind): Promise<TestDatabase> {
  return kind === "server" ? openOnServer("toolwright_template") : openInFolder(() => readTestTemplate(given("TOOLWRIGHT_TEST_TEMPLATES")));
}

/** The same before any migration. */
export function openEmptyDatabase(kind: TestDatabaseKind): Promise<TestDatabase> {
  return kind === "server" ? openOnServer("template1") : openInFolder();
}

async function openOnServer(template: string): Promise<TestDatabase> {
  const admin = new pg.Client({ connectionString: serverUrl() });
  await admin.connect();
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  await admin.query(`create database ${name} template ${template}`);
  await admin.end();
  const url = Object.assign(new URL(serverUrl()), { pathname: `/${name}` }).href;
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
      const remover = new pg.Client({ connectionString: serverUrl() });
      await remover.connect();
      await remover.query(`drop database ${name} with (force)`);
      await remover.end();
    },
  };
}

async function openInFolder(template?: () => Promise<Blob>): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-store-"));
  const open = () => openEmbedded(folder, { holder: "a test", ...(template && { template }) });
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
