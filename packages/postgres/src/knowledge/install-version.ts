import type { Chunk, IngestRef, ReadVersion } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { lockHeld, showVersion } from "./write-documents.ts";

/** Chunks of one transaction: an embedded database and its process do nothing else meanwhile, for about 4 ms a passage. */
const chunksAtOnce = 4;

/**
 * Writes the passages, which no search sees, in several transactions; the last one makes the version answer. Each of them locks the document, and sees
 * whether the run holds it still.
 */
export async function installVersion(
  database: Database,
  ref: IngestRef,
  { holder, title, pages, unread, chunks, at }: ReadVersion,
): Promise<boolean> {
  const all = chunks[Symbol.iterator]();
  let [written, characters, isOver] = [0, 0, false];
  while (!isOver) {
    const some: Chunk[] = [];
    while (some.length < chunksAtOnce && !isOver) {
      const next = all.next();
      if (next.done) isOver = true;
      else some.push(next.value);
    }
    const last = some.at(-1);
    if (last) characters = last.from + last.text.length;
    const isHeld = await database.asTenant(ref.tenant, async (query) => {
      const row = await lockHeld(query, ref, holder);
      if (!row) return false;
      if (some.length > 0) await insertChunks(query, ref, some);
      if (isOver) await showVersion(query, ref, { row, title, pages, unread, chunks: written + some.length, characters, at });
      return true;
    });
    if (!isHeld) return false;
    written += some.length;
  }
  return true;
}

async function insertChunks(query: Query, { tenant, document, version }: IngestRef, chunks: readonly Chunk[]): Promise<void> {
  const of = <Value>(read: (chunk: Chunk) => Value) => chunks.map(read);
  const own = storableText(document);
  await sql`insert into toolwright.chunks
      (tenant, document, chunk, version, content, headings, page, cell, from_line, to_line, from_char, names, words)
    select ${tenant}, ${own}, last.chunk + place, ${version}, content::json, headings::json, page, cell, from_line, to_line, from_char, names,
      toolwright.words_of(language, folded)
    from unnest(
      ${of(({ text }) => JSON.stringify(text))}::text[], ${of(({ headings }) => JSON.stringify(headings))}::text[],
      ${of(({ page }) => page ?? null)}::int[], ${of(({ cell }) => cell ?? null)}::int[],
      ${of(({ lines }) => lines?.[0] ?? null)}::int[], ${of(({ lines }) => lines?.[1] ?? null)}::int[],
      ${of(({ from }) => from)}::int[], ${of(({ index }) => storableText(index.names))}::text[],
      ${of(({ index }) => index.language)}::text[], ${of(({ index }) => storableText(index.folded))}::text[]
    ) with ordinality as given(content, headings, page, cell, from_line, to_line, from_char, names, language, folded, place), (
      select coalesce(max(kept.chunk), 0) as chunk from toolwright.chunks as kept where kept.tenant = ${tenant} and kept.document = ${own}
    ) as last`.execute(query);
}
