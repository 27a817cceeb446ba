import { sql } from "kysely";
import type { Query } from "../database/database.ts";

/** Rows that one transaction takes: each holds its locks for some milliseconds only. */
export const rowsAtOnce = 50;

/** The place after which to go on. */
export interface Cursor {
  readonly tenant: string;
  readonly agent: string;
  readonly name: string;
}

export const beginning: Cursor = { tenant: "", agent: "", name: "" };

/** Secrets of all tenants in order, after a place. */
export function selectAfter(query: Query, { tenant, agent, name }: Cursor) {
  return query
    .selectFrom("toolwright.secrets")
    .selectAll()
    .where(sql<boolean>`(tenant, agent, name) > (${tenant}, ${agent}, ${name})`)
    .orderBy("tenant")
    .orderBy("agent")
    .orderBy("name")
    .limit(rowsAtOnce);
}
