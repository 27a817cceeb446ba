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
  /** Of what is in the view. */
  readonly vectors: VectorSource;
  /** Of a row of the view, as text. */
  readonly id: RawBuilder<string>;
  /** Rows of the view that count. */
  readonly where: RawBuilder<SqlBool>;
  /** Rows of one word at most. Default 1,000; one that stands in more tells little. */
  readonly mostHits?: number | undefined;
  readonly aids: SearchAids;
}

export type Candidates = Omit<FoundSet<never>, "items">;

const [mostTexts, mostNames] = [60, 30];
const usualHits = 1_000;
/** Found by words, whose vectors are compared where there are too many to compare all, and no index. */
const mostRanked = 500;
/** Of names that count as alike, from 0 to 1. */
const leastLikeness = 0.4;
/** A shorter word is like too many others. */
const leastLetters = 4;

/** The one search of everything that is found by its text: by words, by names that are alike, and by vectors. For a transaction of a tenant. */
export async function findCandidates(query: Query, search: SearchQuery, index: SearchIndex): Promise<Candidates> {
  const terms = termsOf(search);
  // Their number decides which vectors are compared.
  const counted = search.vector ? mostVectors : usualHits;
  const { texts, names, frequencies, total } = await findByText(query, { terms, language: search.language, index, counted });
  const found = new Map<string, FoundCandidate>(texts.map((id, at) => [id, { id, text: at + 1 }]));
  for (const [id, likeness] of names) found.set(id, { ...found.get(id), id, names: likeness });
  const { near, alike, isPartial } = await findNear(query, search, { index, total, terms });
  for (const [id, cosine] of near) found.set(id, { ...found.get(id), id, vector: cosine });
  return {
    candidates: [...found.values()],
    frequencies: Object.fromEntries(terms.map(({ word }) => [word, frequencies[word] ?? 0])),
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
interface CountedSearch extends TextSearch {
  /** Rows that are counted at most. Default 1,000. */
  readonly counted?: number;
}
interface FoundTexts {
  /** Best first. */
  readonly texts: readonly string[];
  readonly names: readonly (readonly [id: string, likeness: number])[];
  readonly frequencies: Readonly<Record<string, number>>;
  readonly total: number;
}

/** Texts in the order of how rare the words are that they hold, and of how much of them these are. */
async function findByText(query: Query, search: CountedSearch): Promise<FoundTexts> {
  const compiled = selectByText(search).compile(query);
  const { rows } = await query.executeQuery<FoundTexts>(compiled);
  return rows[0] ?? { texts: [], names: [], frequencies: {}, total: 0 };
}

export function selectByText({ terms, language, index, counted = usualHits }: CountedSearch) {
  const { view, id, where, mostHits = usualHits } = index;
  const rows = sql`${sql.table(view)} as entry where ${where}`;
  return sql<FoundTexts>`with given as materialized (${selectTerms(terms, language)}), hits as materialized (
    select word, found.id from given cross join lateral (
      select ${id} as id from ${rows} and entry.words @@ given.query limit ${sql.lit(mostHits)}
    ) as found
  ), frequencies as materialized (
    select word, count(*)::int as count from hits group by word
  ), total as materialized (
    select count(*)::int as count from (select from ${rows} limit ${sql.lit(counted)}) as counted
  ), worths as materialized (
    select word, ln(1e0::float8 + total.count::float8 / frequencies.count) as worth from frequencies cross join total
  ), texts as (
    select id, sum(worth) as score from hits join worths using (word) group by id order by score desc, id limit ${sql.lit(mostTexts)}
  ), names as (${index.aids.trigrams === undefined ? noNames : selectNames(index, index.aids.trigrams, rows)})
  select (select coalesce(json_agg(id order by score desc, id), '[]') from texts) as texts,
    (select coalesce(json_agg(json_build_array(id, likeness) order by likeness desc, id), '[]') from names) as names,
    (select coalesce(json_object_agg(word, count), '{}') from frequencies) as frequencies, (select count from total) as total`;
}

/** What finds each word: by the stems of the language, and as it stands. */
function selectTerms(terms: readonly SearchTerm[], language: string) {
  return sql`select word, is_code, to_tsquery(configuration.name, quoted) || to_tsquery('pg_catalog.simple', quoted) as query
    from (select toolwright.text_configuration(${language}) as name) as configuration cross join unnest(
      ${terms.map(({ word }) => word)}::text[], ${terms.map(({ quoted }) => quoted)}::text[], ${terms.map(({ isCode }) => isCode)}::boolean[]
    ) as term(word, quoted, is_code)`;
}

/** Rows that the words find, most of them first. */
async function selectBest(query: Query, { terms, language, index }: TextSearch): Promise<readonly VectorRow[]> {
  const { view, where, vectors } = index;
  const { rows } = await sql<VectorRow>`with asked as materialized (
    select string_agg('(' || query::text || ')', ' | ')::tsquery as query from (${selectTerms(terms, language)}) as given
  ) select ${sql.ref(`entry.${vectors.owner}`)} as owner, ${sql.ref(`entry.${vectors.id}`)}::text as own
    from asked, ${sql.table(view)} as entry where ${where} and entry.words @@ asked.query
    order by ts_rank(entry.words, asked.query, 1) desc limit ${sql.lit(mostRanked)}`.execute(query);
  return rows;
}

const noNames = sql`select null::text as id, null::float8 as likeness where false`;

/** Codes, and words that no text holds. What counts as alike is set before the first comparison, since that is made of what it is set with. */
function selectNames({ id }: SearchIndex, schema: string, rows: RawBuilder<unknown>) {
  return sql`with setting as materialized (
      select set_config('pg_trgm.word_similarity_threshold', ${String(leastLikeness)}, true) as done
    ), asked as materialized (
      select given.word || left(setting.done, 0) as word from given cross join setting left join frequencies using (word)
      where length(given.word) >= ${sql.lit(leastLetters)} and (is_code or frequencies.count is null)
    )
    select id, max(likeness) as likeness from asked cross join lateral (
      select ${id} as id, ${sql.id(schema, "word_similarity")}(asked.word, entry.names)::float8 as likeness
      from ${rows} and entry.names operator(${sql.id(schema)}.%>) asked.word order by likeness desc limit ${sql.lit(mostNames)}
    ) as found group by id order by likeness desc, id limit ${sql.lit(mostNames)}`;
}
