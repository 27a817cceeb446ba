import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { sha256 } from "@toolwright/engine";
import { Kysely, PGliteDialect } from "kysely";
import type { Tables } from "../database/tables.ts";
import { migrate } from "../migrate/migrate.ts";
import { readMigrations } from "../migrate/read-migrations.ts";

/**
 * What a new folder starts with: an embedded database of this version. To make one takes seconds, to copy one takes a fraction of that, so it
 * is kept in `cache`. Without a cache, or with one that cannot be used, it is made anew.
 */
export async function readTemplate(cache?: string, fill?: (db: Kysely<Tables>) => Promise<unknown>): Promise<Blob> {
  const file = cache && join(cache, `${nameTemplate()}.tar`);
  const kept = file && (await readFile(file).catch(() => undefined));
  if (kept) return new Blob([kept]);
  const made = await makeTemplate(fill);
  if (file) await keepTemplate(made, { cache, file }).catch(() => undefined);
  return made;
}

/** The migrations and the database's own version: another one of either is another template. */
function nameTemplate(): string {
  return `store-${sha256(
    readMigrations()
      .map(({ checksum }) => checksum)
      .join(),
  ).slice(0, 32)}`;
}

async function makeTemplate(fill: (db: Kysely<Tables>) => Promise<unknown> = async () => {}): Promise<Blob> {
  const pglite = await PGlite.create();
  const owner = new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) });
  await migrate(owner);
  await fill(owner);
  const dump = await pglite.dumpDataDir("none");
  await owner.destroy();
  return dump;
}

/** Written beside and renamed: another process may read it at this moment. */
async function keepTemplate(template: Blob, { cache, file }: { readonly cache: string; readonly file: string }): Promise<void> {
  await mkdir(cache, { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}`;
  await writeFile(beside, new Uint8Array(await template.arrayBuffer()), { mode: 0o600 });
  await rename(beside, file);
}
