import type { FoundSet, SearchQuery } from "@toolwright/engine/ports";
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Query } from "../database/database.ts";
import { mostVectors, type VectorSource } from "../vectors/vector-source.ts";
import { findByIndex, findNearIndex } from "./near-query.ts";
import type { SearchAids } from "./search-aids.ts";
import { type SearchTerm, termsOf } from "./text-query.ts";
import { type FoundVectors, findByVector, type VectorRow } from "./vector-query.ts";

/** What is searched. *Contract:* the view has the columns `names` and `words`, keeps the tenant in its `WHERE` and belongs to the system role. */
export interface SearchIndex {
  readonly view: string;
  /** The function that `make_search` made of the view. */
  readonly finder: string;
  /** Id of a row of the view, as text. */
  readonly id: RawBuilder<string>;
  /** Rows of the view that count. */
  readonly where: RawBuilder<SqlBool>;
  /** The conditions as arguments of the finder. */
  readonly arguments: readonly RawBuilder<unknown>[];
  /** Whether only some rows count, so that words are rare or common among these. Default: nearly all do. */
  readonly isNarrow?: boolean;
  /** Looks for the nearest few by their words, and no further. */
  readonly isQuick?: boolean | undefined;
  /** Vectors of what is in the view. */
  readonly vectors: VectorSource;
  readonly aids: SearchAids;
}

type Candidates = Omit<FoundSet<never>, "items">;

/** Rows that one word may find, rows that all find, and rows that are counted. A word that stands in more tells little. */
const usual = { mostHits: 500, mostTexts: 60, mostCounted: mostVectors };
const quick = { mostHits: 100, mostTexts: 10, mostCounted: 4_000 };
const mostNames = 30;
/** Found by words, whose vectors are compared where there are too many to compare all, and no index. */
const mostRanked = 500;
/** Least likeness of names that count as alike, from 0 to 1. */
const leastLikeness = 0.4;
/** A shorter word is like too many others. */
const leastLetters = 4;

/** What the finder of an index answers. */
export interface FoundTexts {
  /** Best first: in the order of how rare the words are that they hold, and of how many. */
  readonly texts: readonly string[];
  /** How many rows hold each term; of common ones about. */
  readonly frequencies: readonly number[];
  readonly total: number;
}

/** A search whose words have been looked for. */
interface Looked {
  readonly search: SearchQuery;
  readonly index: SearchIndex;
  readonly texts: FoundTexts;
}

/** The one search of everything that is found by its text: by words, by names that are alike, and by vectors. For a transaction of a tenant. */
export async function findCandidates(query: Query, search: SearchQuery, index: SearchIndex): Promise<Candidates> {
  const { rows } = await sql<{
    texts: FoundTexts;
  }>`select ${sql.id("toolwright", index.finder)}(${finderArguments(search, index)}) as texts`.execute(query);
  return findFurther(query, { search, index, texts: (rows[0] as { texts: FoundTexts }).texts });
}

/** What the function that `make_search` made is asked with. */
export function finderArguments(search: SearchQuery, { isQuick, isNarrow = false, arguments: own }: SearchIndex): RawBuilder<unknown> {
  const { mostHits, mostTexts, mostCounted } = isQuick ? quick : usual;
  const quoted = termsOf(search).map((term) => term.quoted);
  return sql`${search.language}, ${quoted}::text[], ${mostHits}, ${mostTexts}, ${mostCounted}, ${isNarrow}, ${sql.join(own)}`;
}

/** Whether there is more to look for than words: names that are alike, and vectors. */
export function isWorthMore(looked: Looked): boolean {
  return namesIn(looked).length > 0 || (looked.search.vector !== undefined && looked.index.aids.vectors !== undefined);
}

/** What words found, and names that are alike, and vectors. */
export async function findFurther(query: Query, looked: Looked): Promise<Candidates> {
  const byWords = toCandidates(looked);
  const found = new Map(byWords.candidates.map((candidate) => [candidate.id, candidate]));
  for (const { id, likeness } of await findByNames(query, looked.index, namesIn(looked)))
    found.set(id, { ...found.get(id), id, names: likeness });
  const { near, alike, isPartial } = await findNear(query, looked);
  for (const [id, cosine] of near) found.set(id, { ...found.get(id), id, vector: cosine });
  return { ...byWords, candidates: [...found.values()], without: [...byWords.without, ...(isPartial ? [describePart()] : [])], alike };
}

/** What words found. */
export function toCandidates({ search, index, texts: { texts, frequencies, total } }: Looked): Candidates {
  return {
    candidates: texts.map((id, at) => ({ id, text: at + 1 })),
    frequencies: Object.fromEntries(termsOf(search).map(({ word }, at) => [word, frequencies[at] ?? 0])),
    total,
    without: whatLacks(search, index),
  };
}

/** Codes, and words that no text holds. */
function namesIn({ search, index: { isQuick, aids }, texts: { frequencies } }: Looked): readonly SearchTerm[] {
  if (isQuick || aids.trigrams === undefined) return [];
  return termsOf(search).filter(({ word, isCode }, at) => word.length >= leastLetters && (isCode || frequencies[at] === 0));
}

interface FoundNear extends FoundVectors {
  /** Some vectors were not compared, nor is there an index of them. */
  readonly isPartial?: boolean;
}

/** By the vectors of all that is there; where that is too much, by an index of them, or else of what the words find. */
async function findNear(query: Query, { search, index, texts: { total } }: Looked): Promise<FoundNear> {
  const { vectors: source, aids } = index;
  const { vector } = search;
  if (!vector || aids.vectors === undefined) return { near: [], alike: [] };
  const near = { ...index, vector, source, support: aids.vectors };
  if (total < mostVectors) return findByVector(query, near);
  const group = await findNearIndex(query, near);
  if (group) return findByIndex(query, near, group);
  const among = await selectBest(query, search, index);
  return { ...(await findByVector(query, { ...near, among })), isPartial: true };
}

const describePart = () =>
  `There are more than ${mostVectors.toLocaleString("en")} texts, so the vectors of those that words find best took part. On a PostgreSQL server, toolwright db vectors makes an index of all.`;

function whatLacks({ vector }: SearchQuery, { aids }: SearchIndex): readonly string[] {
  return [
    ...(aids.trigrams === undefined ? ["Likeness of names took no part: the database has no extension pg_trgm."] : []),
    ...(vector && aids.vectors === undefined ? ["Vectors took no part: the database has no extension vector."] : []),
  ];
}

/** Rows that the words find, most of them first. */
async function selectBest(query: Query, search: SearchQuery, { view, where, vectors }: SearchIndex): Promise<readonly VectorRow[]> {
  const { rows } = await sql<VectorRow>`with asked as materialized (
    select string_agg('(' || (to_tsquery(configuration.name, quoted) || to_tsquery('pg_catalog.simple', quoted))::text || ')', ' | ')::tsquery as query
    from (select toolwright.text_configuration(${search.language}) as name) as configuration
      cross join unnest(${termsOf(search).map(({ quoted }) => quoted)}::text[]) as quoted
  ) select ${sql.ref(`entry.${vectors.owner}`)} as owner, ${sql.ref(`entry.${vectors.id}`)}::text as own
    from asked, ${sql.table(view)} as entry where ${where} and entry.words @@ asked.query
    order by ts_rank(entry.words, asked.query, 1) desc limit ${sql.lit(mostRanked)}`.execute(query);
  return rows;
}

interface NamedRow {
  readonly id: string;
  readonly likeness: number;
}

/** By codes, and by words that no text holds. */
async function findByNames(query: Query, index: SearchIndex, terms: readonly SearchTerm[]): Promise<readonly NamedRow[]> {
  const { aids } = index;
  if (terms.length === 0 || aids.trigrams === undefined) return [];
  await sql`select set_config('pg_trgm.word_similarity_threshold', ${String(leastLikeness)}, true)`.execute(query);
  const { rows } = await query.executeQuery<NamedRow>(selectByNames({ ...index, schema: aids.trigrams }, terms).compile(query));
  return rows;
}

/** What counts as alike has been set before: a comparison is made of what it is set with. */
export function selectByNames({ view, id, where, schema }: SearchIndex & { readonly schema: string }, terms: readonly SearchTerm[]) {
  return sql<NamedRow>`select id, max(likeness) as likeness from unnest(${terms.map(({ word }) => word)}::text[]) as asked(word) cross join lateral (
      select ${id} as id, ${sql.id(schema, "word_similarity")}(asked.word, entry.names)::float8 as likeness
      from ${sql.table(view)} as entry where ${where} and entry.names operator(${sql.id(schema)}.%>) asked.word
      order by likeness desc limit ${sql.lit(mostNames)}
    ) as found group by id order by likeness desc, id limit ${sql.lit(mostNames)}`;
}
