import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock, Memories } from "@toolwright/engine/ports";
import { type RawBuilder, sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { keepLooking } from "../maintenance/keep-looking.ts";
import { chunkVectors, memoryVectors, type VectorSource } from "../vectors/vector-source.ts";

/** Texts that are found by their words. */
interface WordSource extends Pick<VectorSource, "table" | "owner" | "id" | "idType"> {
  /** SQL for the JSON of a text or a list of texts that is indexed beside the content of the row `entry`: its key, or its title and headings. */
  readonly own: RawBuilder<unknown>;
}

const sources: readonly WordSource[] = [
  { ...memoryVectors, own: sql`to_json(entry.key)` },
  {
    ...chunkVectors,
    own: sql`(select json_build_array(title, entry.headings) from toolwright.documents as document
      where document.tenant = entry.tenant and document.document = entry.document)`,
  },
];

/** How many texts of all tenants have words that a server of another major made, or nobody knows which, and how many there are. */
export interface WordCounts {
  readonly outdated: number;
  readonly total: number;
}

interface WordsOptions {
  readonly indexOf: Memories["indexOf"];
  /** Hears how many were made anew, whenever there were some. */
  readonly onRemade?: ((count: number) => void) | undefined;
}

/** Sees to it that the words of all texts are those that the server in use makes of them. */
export interface StoredWords {
  /** From now on, a few texts at a time, until what is returned is called and resolves. Any number of processes may. */
  keepCurrent(options: WordsOptions): () => Promise<void>;
}

/** Texts of one transaction. Each takes about 4 ms, in which an embedded database and its process do nothing else. */
const textsAtOnce = 4;
const hour = 60 * 60 * 1_000;

export function createStoredWords(
  database: Database,
  parts: { readonly clock: Clock; readonly warn?: (message: string) => void },
): StoredWords {
  const { clock, warn } = parts;
  return {
    keepCurrent({ indexOf, onRemade }) {
      const onError = (error: unknown) => warn?.(`Words of texts could not be made anew; it is tried again in an hour: ${String(error)}`);
      // A server may get its new major while this process goes on.
      return keepLooking(
        async (signal) => {
          const count = await remakeAll(database, indexOf, signal);
          if (count > 0) onRemade?.(count);
        },
        { clock, everyMs: hour, onError },
      );
    },
  };
}

export async function countWords({ asSystem }: Pick<Database, "asSystem">): Promise<WordCounts> {
  const counts = sources.map(
    ({ table }) => sql`select count(*) filter (where ${isOutdated}) as outdated, count(*) as total from ${sql.table(table)} as entry`,
  );
  const { rows } = await asSystem((query) =>
    sql<WordCounts>`select sum(outdated)::int as outdated, sum(total)::int as total from (${sql.join(counts, sql` union all `)}) as counted`.execute(
      query,
    ),
  );
  return rows[0] as WordCounts;
}

/** In a form that the index knows. */
const isOutdated = sql`(entry.words_major is null or entry.words_major < toolwright.server_major() or entry.words_major > toolwright.server_major())`;

async function remakeAll(database: Database, indexOf: Memories["indexOf"], signal: AbortSignal): Promise<number> {
  let count = 0;
  for (const source of sources) {
    let rows: readonly OutdatedRow[] = [];
    do {
      const after = rows.at(-1);
      rows = await database.asSystem((query) => remakeSome(query, { source, after, indexOf }));
      count += rows.length;
      await nextTurn();
    } while (rows.length === textsAtOnce && !signal.aborted);
  }
  return count;
}

interface OutdatedRow {
  readonly tenant: string;
  readonly owner: string;
  readonly id: string;
  /** JSON. */
  readonly content: string;
  readonly own: string | null;
}

interface Some {
  readonly source: WordSource;
  /** The last that was made; undefined for the first ones. */
  readonly after: OutdatedRow | undefined;
  readonly indexOf: Memories["indexOf"];
}

/** In the order of their key, from where the last ones ended: what is done is not read again. What another process is at is passed over. */
async function remakeSome(query: Query, { source, after, indexOf }: Some): Promise<readonly OutdatedRow[]> {
  const [table, owner, id] = [sql.table(source.table), sql.ref(`entry.${source.owner}`), sql.ref(`entry.${source.id}`)];
  const further = after
    ? sql`(entry.tenant, ${owner}, ${id}) > (${after.tenant}, ${after.owner}, ${after.id}::${sql.raw(source.idType)})`
    : sql`true`;
  const { rows } = await sql<OutdatedRow>`
    select entry.tenant, ${owner} as owner, ${id}::text as id, entry.content::text as content, (${source.own})::text as own
    from ${table} as entry where ${isOutdated} and ${further} order by entry.tenant, ${owner}, ${id} limit ${sql.lit(textsAtOnce)}
    for update of entry skip locked`.execute(query);
  if (rows.length === 0) return rows;
  const texts = rows.map(({ content, own }) => indexOf(JSON.parse(content), [JSON.parse(own ?? '""')].flat(2).join("\n")));
  const of = (read: (row: OutdatedRow) => string) => sql`${rows.map(read)}::text[]`;
  await sql`update ${table} as entry set words = toolwright.words_of(given.language, given.folded), words_major = toolwright.server_major()
    from unnest(${of(({ tenant }) => tenant)}, ${of((row) => row.owner)}, ${of((row) => row.id)}, ${texts.map(({ language }) => language)}::text[],
      ${texts.map(({ folded }) => storableText(folded))}::text[]) as given(tenant, owner, id, language, folded)
    where entry.tenant = given.tenant and ${owner} = given.owner and ${id} = given.id::${sql.raw(source.idType)}`.execute(query);
  return rows;
}
