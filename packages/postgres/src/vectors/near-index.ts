import { sha256 } from "@toolwright/engine/ports";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../database/tables.ts";
import { vectorSchema } from "./vector-source.ts";

/** Vectors that a search compares with each other. */
export interface VectorGroup {
  /** The name of their source. */
  readonly of: string;
  readonly tenant: string;
  /** Where a search compares those of one owner alone. */
  readonly owner: string | null;
  readonly model: string;
  readonly dimensions: number;
}

/** Begins the name of each index of nearness. */
export const nearPrefix = "near_";

/** Each group has an index of its own: in one of all, the nearest are mostly those of other tenants, and of a small one little or nothing is left. */
export function nameNearIndex({ of, tenant, owner, model, dimensions }: VectorGroup): string {
  return `${nearPrefix}${of}_${sha256(JSON.stringify([tenant, owner, model, dimensions])).slice(0, 24)}`;
}

/** The statement that makes it while others read and write. A column without dimensions can have none, so it is of what it holds as some that has them. */
export async function writeNearIndex(
  db: Kysely<Tables>,
  { schema, group }: { readonly schema: string; readonly group: VectorGroup },
): Promise<string> {
  const { of, tenant, owner, model, dimensions } = group;
  const { rows } = await sql<{ statement: string }>`select
    format('CREATE INDEX CONCURRENTLY %I ON %I.%I USING hnsw ((embedding::%I.halfvec(%s)) %4$I.halfvec_ip_ops)',
      ${nameNearIndex(group)}::text, ${vectorSchema}::text, ${of}::text, ${schema}::text, ${dimensions}::int)
    || format(' WHERE tenant = %L AND model = %L AND %I.vector_dims(embedding) = %s', ${tenant}::text, ${model}::text, ${schema}::text, ${dimensions}::int)
    || case when ${owner}::text is null then '' else format(' AND owner = %L', ${owner}::text) end as statement`.execute(db);
  return rows[0]?.statement ?? "";
}
