import { constants, cpSync, existsSync } from "node:fs";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { sha256 } from "@toolwright/engine/ports";
import { Kysely, PGliteDialect, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { migrate } from "../migrate/migrate.ts";
import { readMigrations } from "../migrate/read-migrations.ts";
import { openVectors } from "../vectors/open-vectors.ts";
import { type VectorSource, vectorSchema, vectorSources } from "../vectors/vector-source.ts";
import { makeVectorTable } from "../vectors/vector-tables.ts";
import { loadExtensions, loadPglite } from "./load-pglite.ts";
import { makeFolder } from "./store-folder.ts";

const oldMs = 7 * 24 * 60 * 60 * 1000;

interface TemplateOptions {
  /** Folder that keeps the template; without one, or with one that cannot be written, each new database is made anew. */
  readonly cache?: string | undefined;
  /** Adds rows to the template. */
  readonly fill?: (db: Kysely<Tables>) => Promise<unknown>;
}

/**
 * Makes a new embedded database of this version in a folder that is not there yet. To make one takes seconds and to copy one a fraction of
 * that, so a template is kept. Everything is made beside and renamed: a start that is killed leaves no half of a database.
 */
export async function createDataFolder(dataDir: string, options: TemplateOptions = {}): Promise<void> {
  const beside = `${dataDir}.new`;
  await rm(beside, { recursive: true, force: true });
  const template = options.cache && (await keepTemplate(options.cache, options).catch(() => undefined));
  if (!template || !(await copyTemplate(template, beside))) await makeDatabase(beside, options);
  await rename(beside, dataDir);
}

/** False when that fails: another version may remove the template meanwhile. Synchronous: hundreds of small files cost a third of the work that way. */
async function copyTemplate(template: string, place: string): Promise<boolean> {
  try {
    cpSync(template, place, { recursive: true, mode: constants.COPYFILE_FICLONE });
    return true;
  } catch {
    await rm(place, { recursive: true, force: true });
    return false;
  }
}

/** Where the template is, after it was made where it is missing. */
export async function keepTemplate(cache: string, options: TemplateOptions = {}): Promise<string> {
  const place = join(cache, nameTemplate());
  if (existsSync(place)) return place;
  const beside = `${place}.${process.pid}`;
  makeFolder(dirname(place));
  await rm(beside, { recursive: true, force: true });
  await makeDatabase(beside, options);
  // Another process may have been quicker; its template is as good.
  await rename(beside, place).catch(() => rm(beside, { recursive: true, force: true }));
  await removeOldTemplates(cache).catch(() => undefined);
  return place;
}

/** Those of other versions, and what starts that were killed have left: each takes 40 MB. One that is wanted again is made again. */
async function removeOldTemplates(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!/^embedded-[0-9a-f]{32}(\.\d+)?$/.test(name)) continue;
    const place = join(cache, name);
    if ((await stat(place)).mtimeMs < Date.now() - oldMs) await rm(place, { recursive: true, force: true });
  }
}

/** Another set of migrations is another template, and so are other tables of vectors. */
export function nameTemplate(sources: readonly VectorSource[] = vectorSources): string {
  const made = [...readMigrations().map(({ checksum }) => checksum), ...sources.flatMap((source) => makeVectorTable(source, vectorSchema))];
  return `embedded-${sha256(made.join()).slice(0, 32)}`;
}

async function makeDatabase(dataDir: string, { fill }: TemplateOptions): Promise<void> {
  const PGlite = await loadPglite();
  const pglite = await PGlite.create({ dataDir, extensions: await loadExtensions() });
  const owner = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
  await migrate(owner);
  await openVectors({ owner });
  await fill?.(owner);
  await dropTemplates(owner);
  await owner.destroy();
}

/** Drops the two databases of a new cluster that nobody uses. They are half of what is copied, and would never be vacuumed. */
async function dropTemplates(owner: Kysely<Tables>): Promise<void> {
  await sql`update pg_database set datistemplate = false`.execute(owner);
  await sql`drop database template0`.execute(owner);
  await sql`drop database template1`.execute(owner);
}
