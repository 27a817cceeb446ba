import { setImmediate as nextTurn } from "node:timers/promises";
import type { PendingVector } from "@toolwright/engine/ports";
import { type RawBuilder, sql } from "kysely";
import type { Query } from "../database/database.ts";
import { type VectorSource, vectorTable } from "./vector-source.ts";

interface PendingFilter {
  readonly model: string;
  readonly limit: number;
  /** Default: all tenants. */
  readonly tenant?: string | undefined;
  readonly owner?: string | undefined;
  /** As they are announced. */
  readonly among?: readonly string[] | undefined;
}

type Place = Pick<PendingVector, "tenant" | "owner" | "id">;
interface Part {
  /** Their texts are JSON. */
  readonly rows: readonly PendingVector[];
  /** The last that was looked at, where there may be more. */
  readonly last: Place | null;
}

/** Rows of one statement: an embedded database and its process do nothing else meanwhile. */
const atOnce = 200;

/** Entries without a vector of this model and of their text, a part at a time: others get in between. `run` has the rights of whom it is for. */
export async function readPending(
  run: <Result>(work: (query: Query) => Promise<Result>) => Promise<Result>,
  source: VectorSource,
  filter: PendingFilter,
): Promise<readonly PendingVector[]> {
  const found: PendingVector[] = [];
  for (let after: Place | null | undefined; after !== null && found.length < filter.limit; await nextTurn()) {
    const { rows } = await run((query) => selectPart(source, filter, after).execute(query));
    found.push(...(rows[0]?.rows ?? []));
    after = rows[0]?.last ?? null;
  }
  return found.slice(0, filter.limit).map((row) => ({ ...row, text: [JSON.parse(row.text)].flat(2).join("\n") }));
}

/** Each row is looked up by itself: joined, all vectors might be read for it. */
function selectPart(source: VectorSource, { model, tenant, owner: of, among }: PendingFilter, after: Place | null | undefined) {
  const [owner, id, mark] = [source.owner, source.id, source.mark].map((name) => sql.ref(`entry.${name}`)) as [Column, Column, Column];
  const conditions = [
    sql`true`,
    ...(tenant === undefined ? [] : [sql`entry.tenant = ${tenant}`]),
    ...(of === undefined ? [] : [sql`${owner} = ${of}`]),
    ...(among === undefined ? [] : [sql`${source.announced === "id" ? id : owner} = any(${among}::text[])`]),
    ...(after ? [sql`(entry.tenant, ${owner}, ${id}) > (${after.tenant}, ${after.owner}, ${after.id}::${sql.raw(source.idType)})`] : []),
  ];
  return sql<Part>`with part as materialized (
    select entry.tenant, ${owner} as owner, ${id} as id, ${mark} as mark from ${sql.table(source.table)} as entry
    where ${sql.join(conditions, sql` and `)} order by entry.tenant, ${owner}, ${id} limit ${sql.lit(atOnce)}
  ), waiting as materialized (
    select * from part where (
      select vector.model = ${model} and vector.mark = part.mark from ${vectorTable(source)} as vector
      where vector.tenant = part.tenant and vector.owner = part.owner and vector.id = part.id
    ) is not true
  )
  select (
    select coalesce(json_agg(json_build_object('tenant', waiting.tenant, 'owner', waiting.owner, 'id', waiting.id::text, 'mark', waiting.mark, 'text', entry.text)), '[]')
    from waiting cross join lateral (
      select (${source.text})::text as text from ${sql.table(source.table)} as entry
      where entry.tenant = waiting.tenant and ${owner} = waiting.owner and ${id} = waiting.id limit 1
    ) as entry
  ) as rows, (
    select json_build_object('tenant', tenant, 'owner', owner, 'id', id::text) from part order by tenant, owner, id offset ${sql.lit(atOnce - 1)}
  ) as last`;
}

type Column = RawBuilder<unknown>;
