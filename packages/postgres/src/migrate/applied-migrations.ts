import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

export interface AppliedMigration {
  readonly name: string;
  readonly breaking: boolean;
  readonly checksum: string;
  readonly at: Date;
}

/** PostgreSQL's code for a table that is not there. */
const noSuchTable = "42P01";

/** The migrations that the database has, oldest first; none for a new one. */
export async function readApplied(db: Kysely<Tables>): Promise<readonly AppliedMigration[]> {
  try {
    const { rows } = await sql<AppliedMigration>`select name, breaking, checksum, at from toolwright.migration_notes`.execute(db);
    return [...rows].sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === noSuchTable) return [];
    throw error;
  }
}
