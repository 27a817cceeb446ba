import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { nameNearIndex, type VectorGroup } from "../vectors/near-index.ts";
import { writeVector } from "../vectors/vector-index.ts";
import { vectorSchema, vectorTable } from "../vectors/vector-source.ts";
import { type FoundVectors, isEntryOf, leastCosine, mostNear, type Near, type VectorSearch, withAlike } from "./vector-query.ts";

/** Vectors that the index looks at before it says which are nearest; more find more of them. */
const looks = 200;
/** The first version whose indexes look on until enough of what they find counts. */
const lookingOn = "0.8";

/** What the search compares, where that has an index. */
export async function findNearIndex(query: Query, { vector, source }: VectorSearch): Promise<VectorGroup | undefined> {
  const owner = source.searchedBy === undefined ? sql`null::text` : sql`current_setting(${source.searchedBy}, true)`;
  const { rows: asked } = await sql<
    Pick<VectorGroup, "tenant" | "owner">
  >`select toolwright.current_tenant() as tenant, ${owner} as owner`.execute(query);
  const group = asked[0] && { ...asked[0], of: source.name, model: vector.model, dimensions: vector.value.length };
  if (!group) return undefined;
  const { rows } = await sql`select from pg_class c join pg_index i on i.indexrelid = c.oid
    where c.relname = ${nameNearIndex(group)} and c.relnamespace = to_regnamespace(${vectorSchema}) and i.indisvalid`.execute(query);
  return rows.length > 0 ? group : undefined;
}

/** The rows whose vectors are nearest by the index of their group: nearly all that comparing each would find. */
export async function findByIndex(query: Query, search: VectorSearch, group: VectorGroup): Promise<FoundVectors> {
  const looksOn = search.support.version.localeCompare(lookingOn, "en", { numeric: true }) >= 0;
  // Nobody knows how many rows have so many dimensions: taken for few, they would be read and sorted.
  const { rows: before } = await sql<{
    sort: string;
  }>`select current_setting('enable_sort') as sort, set_config('enable_sort', 'off', true),
    set_config('hnsw.ef_search', ${String(looks)}, true) ${looksOn ? sql`, set_config('hnsw.iterative_scan', 'relaxed_order', true)` : sql``}`.execute(
    query,
  );
  const { rows } = await query.executeQuery<Near>(selectNear(search, group).compile(query));
  await sql`select set_config('enable_sort', ${before[0]?.sort}, true)`.execute(query);
  return withAlike(
    query,
    search,
    rows.toSorted((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1)),
  );
}

/** In the words of the index. */
export function selectNear(search: VectorSearch, { tenant, owner, model, dimensions }: VectorGroup) {
  const { vector, source, support, id, where } = search;
  const sized = sql`${sql.id(support.schema, "halfvec")}(${sql.lit(dimensions)})`;
  const distance = sql`(vector.embedding::${sized} operator(${sql.id(support.schema)}.<#>) ${writeVector(vector.value)}::${sized})`;
  const owned = owner === null ? sql`` : sql`and vector.owner = ${owner}`;
  return sql<Near>`select * from (
    select ${id} as id, vector.owner, vector.id::text as own, -${distance}::float8 as cosine
    from ${vectorTable(source)} as vector join ${sql.table(search.view)} as entry on ${isEntryOf(search, "vector")}
    where vector.tenant = ${tenant} and vector.model = ${model} ${owned}
      and ${sql.id(support.schema, "vector_dims")}(vector.embedding) = ${sql.lit(dimensions)} and ${where}
    order by ${distance} limit ${sql.lit(mostNear)}
  ) as near where cosine >= ${sql.lit(leastCosine)}`;
}
