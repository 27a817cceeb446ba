import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

export interface AppliedMigration {
  readonly name: string;
  readonly breaking: boolean;
  readonly checksum: string;
  readonly at: Date;
}

/** The migrations that the database has, oldest first; none for a new one. */
export async function readApplied(db: Kysely<Tables>): Promise<readonly AppliedMigration[]> {
  const { rows } = await sql<{ there: boolean }>`select to_regclass('toolwright.migration_notes') is not null as there`.execute(db);
  if (!rows[0]?.there) return [];
  return (await sql<AppliedMigration>`select name, breaking, checksum, at from toolwright.migration_notes order by name`.execute(db)).rows;
}
