import {
  type DocumentPage,
  type DocumentRecord,
  type DocumentSearch,
  type FoundPassages,
  type IngestRef,
  mostDocumentsOfPage,
  mostUnsearched,
  type Passage,
  readDocumentCursor,
  type SearchQuery,
  usualPersonLimits,
} from "@toolwright/engine/ports";
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { findCandidates, type SearchIndex } from "../search/find-candidates.ts";
import type { SearchAids } from "../search/search-aids.ts";
import { chunkVectors } from "../vectors/vector-source.ts";
import type { KnowledgeTables } from "./tables.ts";

export type DocumentRow = Selectable<KnowledgeTables["toolwright.documents"]>;
/** Columns of a found passage, without those that it is found by, which take longer to read than all the rest. */
const passageColumns = ["document", "chunk", "content", "headings", "page", "cell", "from_line", "to_line", "from_char"] as const;
type ChunkRow = Pick<Selectable<KnowledgeTables["toolwright.chunks"]>, (typeof passageColumns)[number]>;

interface DocumentName {
  readonly tenant: string;
  readonly id: string;
}

export function toRecord(row: DocumentRow): DocumentRecord {
  const { tenant, document: id, collection, title, source, media_type: mediaType, hash, trust, version, state, error, chunks, pages } = row;
  return {
    ...{ id, tenant, collection, title, source, mediaType, hash, trust, version, state, chunks, writtenBy: row.by },
    ...{ createdAt: row.created_at.getTime(), updatedAt: row.updated_at.getTime() },
    ...(error !== null && { error }),
    ...(pages !== null && { pages }),
    ...(row.next_version !== null && { nextVersion: row.next_version }),
  };
}

export function selectDocument(query: Query, { tenant, id }: DocumentName) {
  return query.selectFrom("toolwright.documents").selectAll().where("tenant", "=", tenant).where("document", "=", storableText(id));
}

/** How the text of `given` begins. It is compared as text, since PostgreSQL reads no JSON with a NUL in any of its members. */
export const beginningOf = (sharer: string): string => `{"sharer":${JSON.stringify(sharer)},`;
const sharerOfGiven = sql`substring(u.given::text from ${String.raw`^\{"sharer":("(?:[^"\\]|\\.)*")`})`;

/** Documents of a tenant whose turns are drawn up at once: as many as ten people may have waiting. */
const mostInTurn = 10 * usualPersonLimits.uploads;

/** Goes from one tenant with a document to the next by the index, and looks into those whose turn it is. */
export function selectDue({ now, limit }: { readonly now: number; readonly limit: number }) {
  const time = new Date(now);
  const uploads = sql`left join toolwright.document_uploads u on u.tenant = d.tenant and u.upload = d.upload`;
  const lot = (of: RawBuilder<unknown>) => sql`hashtextextended(${of}, ${Math.round(now)}::bigint)`;
  return sql<IngestRef>`
    with recursive tenants as (
      select min(tenant) as tenant from toolwright.documents where due_at <= ${time}
      union all
      select (select min(d.tenant) from toolwright.documents d where d.tenant > before.tenant and d.due_at <= ${time})
      from tenants before where before.tenant is not null
    ), reading as (
      select d.tenant, ${sharerOfGiven} as person, count(*)::int as count from toolwright.documents d ${uploads}
      where d.due_at > ${time} and d.holder is not null group by 1, 2
    ), next as (
      select tenant, coalesce((select sum(count) from reading r where r.tenant = t.tenant), 0) as taken
      from tenants t where tenant is not null order by taken, ${lot(sql`tenant`)} limit ${limit}
    ), of_persons as (
      select d.*, next.taken, row_number() over (partition by d.tenant, d.person order by d.due_at, d.document)
        + coalesce((select count from reading r where r.tenant = d.tenant and r.person = d.person), 0) as turn
      from next cross join lateral (
        select d.tenant, d.document, d.next_version as version, d.due_at, ${sharerOfGiven} as person from (
          select tenant, document, next_version, due_at, upload from toolwright.documents
          where tenant = next.tenant and due_at <= ${time} order by due_at limit ${mostInTurn}
        ) d ${uploads}
      ) d
    )
    select tenant, document, version from of_persons
    order by taken + row_number() over (partition by tenant order by turn, ${lot(sql`person`)}, due_at, document), ${lot(sql`tenant`)}
    limit ${limit}`;
}

export function selectList(query: Query, tenant: string, { collection, cursor, limit = mostDocumentsOfPage }: DocumentPage) {
  const after = cursor === undefined ? undefined : readDocumentCursor(cursor);
  return query
    .selectFrom("toolwright.documents")
    .selectAll()
    .where("tenant", "=", tenant)
    .$if(collection !== undefined, (some) => some.where("collection", "=", storableText(collection ?? "")))
    .$if(after !== undefined, (some) =>
      some.where(sql<boolean>`(created_at, document) < (${new Date(after?.at ?? 0)}::timestamptz, ${storableText(after?.id ?? "")})`),
    )
    .orderBy("created_at", "desc")
    .orderBy("document", "desc")
    .limit(Math.min(limit, mostDocumentsOfPage) + 1);
}

/** A part of the text: the passages that it touches, and what lies between them. */
export async function readText(query: Query, name: DocumentName, { offset, length }: { readonly offset: number; readonly length: number }) {
  const row = await selectDocument(query, name).executeTakeFirst();
  if (!row || row.version === 0) return undefined;
  const end = offset + length;
  const passages = await query
    .selectFrom("toolwright.chunks")
    .select(["content", "from_char"])
    .where("tenant", "=", name.tenant)
    .where("document", "=", row.document)
    .where("version", "=", row.version)
    .where("from_char", "<", end)
    .where(
      sql<boolean>`from_char >= coalesce((select max(from_char) from toolwright.chunks as before where before.tenant = ${name.tenant}
        and before.document = ${row.document} and before.version = ${row.version} and before.from_char <= ${offset}), 0)`,
    )
    .orderBy("chunk")
    .execute();
  const from = passages[0]?.from_char ?? 0;
  const text = passages.map(({ content }) => `${content}\n\n`).join("");
  const total = row.characters;
  return { text: text.slice(offset - from, Math.max(0, Math.min(end, total) - from)), total };
}

export function indexOf(collection: string | undefined, aids: SearchAids): SearchIndex {
  return {
    view: "toolwright.chunk_index",
    vectors: chunkVectors,
    id: sql<string>`entry.document || ' ' || entry.chunk`,
    where: collection === undefined ? sql<boolean>`true` : sql<boolean>`entry.collection = ${storableText(collection)}`,
    finder: "find_chunks",
    arguments: [sql`${collection === undefined ? null : storableText(collection)}`],
    isNarrow: collection !== undefined,
    aids,
  };
}

export async function searchDocuments(
  query: Query,
  tenant: string,
  { collection, aids, ...search }: DocumentSearch & { readonly aids: SearchAids },
): Promise<FoundPassages> {
  const { found, items } = await findPassages(query, tenant, { search, index: indexOf(collection, aids) });
  const notSearched = await query
    .selectFrom("toolwright.documents")
    .select(["document as id", "title", "state"])
    .where("tenant", "=", tenant)
    // In the words of the index.
    .where(sql<boolean>`state <> 'ready'`)
    .$if(collection !== undefined, (some) => some.where("collection", "=", storableText(collection ?? "")))
    .orderBy("document")
    .limit(mostUnsearched)
    .execute();
  return { ...found, items, notSearched };
}

/** Passages that are found and gone a moment later were of a version that another one replaced: then that one is searched. */
const mostLooks = 3;

async function findPassages(
  query: Query,
  tenant: string,
  { search, index }: { readonly search: SearchQuery; readonly index: SearchIndex },
) {
  for (let look = 1; ; look += 1) {
    const found = await findCandidates(query, search, index);
    const items = await readPassages(
      query,
      tenant,
      found.candidates.map(({ id }) => id),
    );
    if (items.size === found.candidates.length || look === mostLooks) return { found, items };
  }
}

async function readPassages(query: Query, tenant: string, ids: readonly string[]): Promise<ReadonlyMap<string, Passage>> {
  const parts = ids.map((id) => id.split(" "));
  const named = sql`select * from unnest(${parts.map(([document]) => document)}::text[], ${parts.map(([, chunk]) => Number(chunk))}::int[])`;
  const chunks = await query
    .selectFrom("toolwright.chunks")
    .select(passageColumns)
    .where("tenant", "=", tenant)
    .where(sql<boolean>`(document, chunk) in (${named})`)
    .execute();
  const rows = await query
    .selectFrom("toolwright.documents")
    .selectAll()
    .where("tenant", "=", tenant)
    .where(sql<boolean>`document = any(${[...new Set(chunks.map(({ document }) => document))]}::text[])`)
    .execute();
  const records = new Map(rows.map((row) => [row.document, toRecord(row)]));
  return new Map(
    chunks.flatMap((chunk): [string, Passage][] => {
      const document = records.get(chunk.document);
      return document ? [[`${chunk.document} ${chunk.chunk}`, toPassage(chunk, document)]] : [];
    }),
  );
}

function toPassage({ chunk, content, headings, page, cell, from_line, to_line, from_char }: ChunkRow, document: DocumentRecord): Passage {
  return {
    ...{ id: `${document.id} ${chunk}`, text: content, headings, from: from_char, document },
    ...(page !== null && { page }),
    ...(cell !== null && { cell }),
    ...(from_line !== null && to_line !== null && { lines: [from_line, to_line] as const }),
  };
}
