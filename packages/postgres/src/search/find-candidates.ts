import type { FoundCandidate, FoundSet, SearchQuery } from "@toolwright/engine/ports";
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
  /** Of a row of the view, as text. */
  readonly id: RawBuilder<string>;
  /** Rows of the view that count. */
  readonly where: RawBuilder<SqlBool>;
  /** The same, as arguments of the finder. */
  readonly arguments: readonly RawBuilder<unknown>[];
  /** Whether only some rows count, so that words are rare or common among these. Default: nearly all do. */
  readonly isNarrow?: boolean;
  /** Looks for the nearest few by their words, and no further. */
  readonly isQuick?: boolean | undefined;
  /** Of what is in the view. */
  readonly vectors: VectorSource;
  readonly aids: SearchAids;
}

export type Candidates = Omit<FoundSet<never>, "items">;

/** Rows that one word may find, rows that all find, and rows that are counted. A word that stands in more tells little. */
const usual = { mostHits: 500, mostTexts: 60, mostCounted: mostVectors };
const quick = { mostHits: 100, mostTexts: 10, mostCounted: 4_000 };
const mostNames = 30;
/** Found by words, whose vectors are compared where there are too many to compare all, and no index. */
const mostRanked = 500;
/** Of names that count as alike, from 0 to 1. */
const leastLikeness = 0.4;
/** A shorter word is like too many others. */
const leastLetters = 4;

/** The one search of everything that is found by its text: by words, by names that are alike, and by vectors. For a transaction of a tenant. */
export async function findCandidates(query: Query, search: SearchQuery, index: SearchIndex): Promise<Candidates> {
  const terms = termsOf(search);
  const { texts, frequencies, total } = await findByText(query, { terms, language: search.language, index });
  const found = new Map<string, FoundCandidate>(texts.map((id, at) => [id, { id, text: at + 1 }]));
  const odd = terms.filter(({ word, isCode }, at) => word.length >= leastLetters && (isCode || frequencies[at] === 0));
  for (const { id, likeness } of index.isQuick ? [] : await findByNames(query, index, odd))
    found.set(id, { ...found.get(id), id, names: likeness });
  const { near, alike, isPartial } = await findNear(query, search, { index, total, terms });
  for (const [id, cosine] of near) found.set(id, { ...found.get(id), id, vector: cosine });
  return {
    candidates: [...found.values()],
    frequencies: Object.fromEntries(terms.map(({ word }, at) => [word, frequencies[at] ?? 0])),
    total,
    without: [...whatLacks(search, index), ...(isPartial ? [partly] : [])],
    alike,
  };
}

interface FoundNear extends FoundVectors {
  /** Some vectors were not compared, nor is there an index of them. */
  readonly isPartial?: boolean;
}
interface NearSearch {
  readonly index: SearchIndex;
  readonly total: number;
  readonly terms: readonly SearchTerm[];
}

/** By the vectors of all that is there; where that is too much, by an index of them, or else of what the words find. */
async function findNear(query: Query, { vector, language }: SearchQuery, { index, total, terms }: NearSearch): Promise<FoundNear> {
  const { vectors: source, aids } = index;
  if (!vector || aids.vectors === undefined) return { near: [], alike: [] };
  const search = { ...index, vector, source, support: aids.vectors };
  if (total < mostVectors) return findByVector(query, search);
  const group = await findNearIndex(query, search);
  if (group) return findByIndex(query, search, group);
  const among = await selectBest(query, { terms, language, index });
  return { ...(await findByVector(query, { ...search, among })), isPartial: true };
}

const partly = `There are more than ${mostVectors.toLocaleString("en")} texts, so the vectors of those that words find best took part. On a PostgreSQL server, toolwright db vectors makes an index of all.`;

function whatLacks({ vector }: SearchQuery, { aids }: SearchIndex): readonly string[] {
  return [
    ...(aids.trigrams === undefined ? ["Likeness of names took no part: the database has no extension pg_trgm."] : []),
    ...(vector && aids.vectors === undefined ? ["Vectors took no part: the database has no extension vector."] : []),
  ];
}

interface TextSearch {
  readonly terms: readonly SearchTerm[];
  readonly language: string;
  readonly index: SearchIndex;
}

interface FoundTexts {
  /** Best first: in the order of how rare the words are that they hold, and of how many. */
  readonly texts: readonly string[];
  /** How many rows hold each term; of common ones about. */
  readonly frequencies: readonly number[];
  readonly total: number;
}

async function findByText(query: Query, { terms, language, index }: TextSearch): Promise<FoundTexts> {
  const { mostHits, mostTexts, mostCounted } = index.isQuick ? quick : usual;
  const quoted = terms.map((term) => term.quoted);
  const given = [
    sql`${language}`,
    sql`${quoted}::text[]`,
    sql`${mostHits}`,
    sql`${mostTexts}`,
    sql`${mostCounted}`,
    sql`${index.isNarrow ?? false}`,
  ];
  const { rows } = await sql<{
    found: FoundTexts;
  }>`select ${sql.id("toolwright", index.finder)}(${sql.join([...given, ...index.arguments])})
    as found`.execute(query);
  return (rows[0] as { found: FoundTexts }).found;
}

/** Rows that the words find, most of them first. */
async function selectBest(query: Query, { terms, language, index }: TextSearch): Promise<readonly VectorRow[]> {
  const { view, where, vectors } = index;
  const { rows } = await sql<VectorRow>`with asked as materialized (
    select string_agg('(' || (to_tsquery(configuration.name, quoted) || to_tsquery('pg_catalog.simple', quoted))::text || ')', ' | ')::tsquery as query
    from (select toolwright.text_configuration(${language}) as name) as configuration
      cross join unnest(${terms.map(({ quoted }) => quoted)}::text[]) as quoted
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
