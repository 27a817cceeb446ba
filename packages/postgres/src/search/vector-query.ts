import type { SearchQuery } from "@toolwright/engine/ports";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Query } from "../database/database.ts";
import { writeVector } from "../vectors/vector-index.ts";
import { type VectorSource, vectorTable } from "../vectors/vector-source.ts";
import type { Extension } from "./search-aids.ts";

export interface VectorSearch {
  readonly vector: NonNullable<SearchQuery["vector"]>;
  readonly source: VectorSource;
  readonly support: Extension;
  readonly view: string;
  readonly id: RawBuilder<string>;
  readonly where: RawBuilder<SqlBool>;
  readonly isNarrow?: boolean;
  /** Compares the vectors of these alone. */
  readonly among?: readonly VectorRow[];
}

/** A row as its table of vectors names it. */
export interface VectorRow {
  readonly owner: string;
  readonly own: string;
}

export interface FoundVectors {
  readonly near: readonly (readonly [id: string, cosine: number])[];
  readonly alike: readonly (readonly [one: string, other: string, cosine: number])[];
}

export const [mostNear, leastCosine] = [60, 0.2];
/** Those whose numbers are compared, after the signs of all are: one bit for each number, 16 times less to read. */
const mostCompared = 300;
/** Nearest ones that are compared with each other, and how near two are that count. */
const [mostPaired, leastAlike] = [12, 0.7];

export interface Near extends VectorRow {
  readonly id: string;
  readonly cosine: number;
}
/** The rows whose vectors are nearest. Vectors of another model, of other dimensions or of an older text do not count. */
export async function findByVector(query: Query, search: VectorSearch): Promise<FoundVectors> {
  const { rows } = await selectNearest(search).execute(query);
  return withAlike(query, search, rows);
}

/** The nearest of them are compared with each other, too. */
export async function withAlike(query: Query, search: VectorSearch, near: readonly Near[]): Promise<FoundVectors> {
  const compared = near.slice(0, mostPaired);
  return {
    near: near.map(({ id, cosine }) => [id, cosine] as const),
    alike: compared.length > 1 ? await compare(query, search, compared) : [],
  };
}

/** Whether `entry`, a row of the view, is what a vector belongs to; one of an older text belongs to none. */
export const isEntryOf = ({ source }: VectorSearch, vector: string) =>
  sql`${sql.ref(`entry.${source.owner}`)} = ${sql.ref(`${vector}.owner`)} and ${sql.ref(`entry.${source.id}`)} = ${sql.ref(`${vector}.id`)}
      and ${sql.ref(`entry.${source.mark}`)} = ${sql.ref(`${vector}.mark`)}`;

/** In one statement, during which an embedded database and its process do nothing else: about 20 ms for 5,000 vectors of 512 numbers. */
function selectNearest(search: VectorSearch) {
  const { vector, source, id, where, view, isNarrow, among, support } = search;
  const schema = sql.id(support.schema);
  const rows = vectorTable(source);
  // A function of the policy would be asked for each row.
  const owned =
    source.searchedBy === undefined ? sql`` : sql`and vector.owner = (select current_setting(${sql.lit(source.searchedBy)}, true))`;
  const counting = sql`select ${sql.ref(`entry.${source.owner}`)}, ${sql.ref(`entry.${source.id}`)} from ${sql.table(view)} as entry where ${where}`;
  const some = among ? sql`select * from ${unnest(among, source)}` : isNarrow ? counting : undefined;
  const asked = sql`${writeVector(vector.value)}::${schema}.halfvec`;
  return sql<Near>`with alike as materialized (
    select vector.owner, vector.id, vector.signs operator(${schema}.<~>) ${schema}.binary_quantize(${asked}) as apart from ${rows} as vector
    where vector.tenant = (select toolwright.current_tenant()) and vector.model = ${vector.model} ${owned}
      and length(vector.signs) = ${vector.value.length} ${some ? sql`and (vector.owner, vector.id) in (${some})` : sql``}
    order by apart limit ${sql.lit(mostCompared)}
  ), compared as materialized (
    select vector.owner, vector.id, vector.mark, -(vector.embedding operator(${schema}.<#>) ${asked})::float8 as cosine
    from alike join ${rows} as vector on vector.tenant = (select toolwright.current_tenant()) and vector.owner = alike.owner and vector.id = alike.id
  )
  select entry.id, compared.owner, compared.id::text as own, compared.cosine from compared cross join lateral (
    select ${id} as id from ${sql.table(view)} as entry where ${isEntryOf(search, "compared")} and ${where} limit 1
  ) as entry
  where compared.cosine >= ${sql.lit(leastCosine)} order by cosine desc, id limit ${sql.lit(mostNear)}`;
}

/** Pairs of found ones that are near each other. */
async function compare(
  query: Query,
  { source, support: { schema } }: VectorSearch,
  found: readonly Near[],
): Promise<FoundVectors["alike"]> {
  const cosine = sql`-(one.embedding operator(${sql.id(schema)}.<#>) other.embedding)`;
  const { rows } = await sql<{ alike: FoundVectors["alike"] }>`with found as materialized (
    select given.id, vector.embedding, ${sql.id(schema, "vector_dims")}(vector.embedding) as dims
    from rows from (unnest(${found.map(({ id }) => id)}::text[]), ${unnest(found, source)}) as given(id, owner, own)
    join ${vectorTable(source)} as vector
      on vector.tenant = toolwright.current_tenant() and vector.owner = given.owner and vector.id = given.own
  ), pairs as (
    select one.id as one, other.id as other, (case when one.dims = other.dims then ${cosine} end)::float8 as cosine
    from found as one join found as other on one.id < other.id
  ) select coalesce(json_agg(json_build_array(one, other, cosine)), '[]') as alike from pairs where cosine >= ${sql.lit(leastAlike)}`.execute(
    query,
  );
  return rows[0]?.alike ?? [];
}

const unnest = (rows: readonly VectorRow[], { idType }: VectorSource) =>
  sql`unnest(${rows.map(({ owner }) => owner)}::text[], ${rows.map(({ own }) => own)}::text[]::${sql.raw(idType)}[])`;
