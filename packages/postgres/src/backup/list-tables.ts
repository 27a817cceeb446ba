import { sql } from "kysely";
import type { Query } from "../database/database.ts";

export interface TableShape {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** Tables whose rows its rows name. */
  readonly needs: readonly string[];
}

/** Tables that say how the database was made, not what is in it. */
const ofTheDatabase = ["kysely_migration", "kysely_migration_lock", "migration_notes", "processes", "process_tools", "revisions", "upkeep"];

/** What clients of the running server carry. A copy holds nothing that anybody could use; clients open their sessions again. */
const ofTheMoment = ["client_sessions", "seal_keys"];

/** Every table with rows of ours, those that others need before the others. */
export async function listTables(query: Query): Promise<readonly TableShape[]> {
  const { rows } = await sql<{ name: string; columns: TableShape["columns"]; needs: string[] | null }>`
    select c.relname as name,
      (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum)
        from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
      (select array_agg(distinct target.relname::text) from pg_constraint k join pg_class target on target.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid) as needs
    from pg_class c where c.relnamespace = 'toolwright'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all(${[...ofTheDatabase, ...ofTheMoment]}::text[])
    order by c.relname`.execute(query);
  return inOrder(rows.map(({ name, columns, needs }) => ({ name, columns, needs: needs ?? [] })));
}

function inOrder(tables: readonly TableShape[]): readonly TableShape[] {
  const ordered: TableShape[] = [];
  const left = new Set(tables);
  while (left.size > 0) {
    const ready = [...left].filter(({ needs }) => needs.every((need) => ordered.some(({ name }) => name === need)));
    if (ready.length === 0) throw new Error(`The tables ${[...left].map(({ name }) => name).join(", ")} need each other.`);
    for (const table of ready) left.delete(table);
    ordered.push(...ready);
  }
  return ordered;
}
