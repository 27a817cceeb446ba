import type {
  FoundSet,
  Memory,
  MemoryOwner,
  MemoryPage,
  MemorySearch,
  MemoryStore,
  MemoryVersion,
  NewMemory,
} from "@toolwright/engine/ports";
import { type Selectable, sql } from "kysely";
import { callFunction } from "../database/call-function.ts";
import type { Database, Query } from "../database/database.ts";
import { isStorable, storableText } from "../database/storable-text.ts";
import { type FoundTexts, finderArguments, findFurther, isWorthMore, type SearchIndex, toCandidates } from "../search/find-candidates.ts";
import type { SearchAids } from "../search/search-aids.ts";
import type { StoredVectors } from "../vectors/stored-vectors.ts";
import { memoryVectors } from "../vectors/vector-source.ts";
import type { MemoryTables } from "./tables.ts";

interface MemoriesParts {
  readonly findAids: () => Promise<SearchAids>;
  readonly vectors: StoredVectors;
}

/** Stands for all owners of the tenant, for those who look after its memories and for nobody else. */
const everyOwner = "*";

/** Memories in PostgreSQL. Each function is one transaction that sees those of one owner. */
export function createPostgresMemories(database: Database, { findAids, vectors }: MemoriesParts): MemoryStore {
  return {
    vectors,
    async save(owner, memory) {
      const version = await callFunction<number>(database, saveMemory(owner, memory));
      vectors.changed(owner.tenant, memory.key);
      return { version, created: version === 1 };
    },
    async get(owner, key, now) {
      if (!isStorable(key)) return undefined;
      return asOwner(database, owner, async (query) => {
        const row = await selectMemories(query, owner, { now }).where("key", "=", key).executeTakeFirst();
        if (!row) return undefined;
        return { memory: toMemory(row), versions: (await selectVersions(query, owner, key).execute()).map(toVersion) };
      });
    },
    async forget(owner, key) {
      return isStorable(key) ? asOwner(database, owner, (query) => forgetMemory(query, owner, key)) : 0;
    },
    clear: (owner) => database.asTenant(owner.tenant, (query) => clearMemories(query, owner)),
    search: async (owner, search) => searchMemories(database, owner, { search, aids: await findAids() }),
    list: (owner, page) => asOwner(database, owner, (query) => listMemories(query, owner, page)),
    owners: (tenant) =>
      asOwner(database, { tenant, owner: everyOwner }, (query) =>
        query
          .selectFrom("toolwright.memories")
          .select(["owner", sql<number>`count(*)::int`.as("count")])
          .where("tenant", "=", tenant)
          .groupBy("owner")
          .orderBy("owner")
          .execute(),
      ),
  };
}

/** Nobody is called as every owner is. */
function asOwner<Result>(database: Database, { tenant, owner }: MemoryOwner, work: (query: Query) => Promise<Result>): Promise<Result> {
  return database.asTenant(tenant, async (query) => {
    await seeMemoriesOf(query, owner);
    return work(query);
  });
}

/** Until the transaction of the tenant ends. */
export async function seeMemoriesOf(query: Query, owner: string): Promise<void> {
  await sql`select set_config('toolwright.memory_owner', ${owner}, true)`.execute(query);
}

function saveMemory({ tenant, owner }: MemoryOwner, { content, sources, by, index, ...memory }: NewMemory) {
  const { key, category, trust, session, savedAt, expiresAt } = memory;
  const json = (value: unknown) => JSON.stringify(value);
  return sql`toolwright.save_memory(${tenant}, ${owner}, ${key}, ${category}, ${json(content)}, ${trust}, ${json(sources)}, ${json(by)},
    ${session ?? null}, ${savedAt}, ${expiresAt ?? null}, ${index.language}, ${storableText(index.folded)}, ${storableText(index.names)})`;
}

/** Takes the versions along. */
async function forgetMemory(query: Query, { tenant, owner }: MemoryOwner, key: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`with gone as (
      delete from toolwright.memories where tenant = ${tenant} and owner = ${owner} and key = ${key}
    ) select count(*)::int as count from toolwright.memory_versions where tenant = ${tenant} and owner = ${owner} and key = ${key}`.execute(
    query,
  );
  return rows[0]?.count ?? 0;
}

export async function clearMemories(query: Query, { tenant, owner }: MemoryOwner): Promise<void> {
  await seeMemoriesOf(query, owner);
  await query.deleteFrom("toolwright.memories").where("tenant", "=", tenant).where("owner", "=", owner).execute();
}

interface Searching {
  readonly search: MemorySearch;
  readonly aids: SearchAids;
}

/** What words find comes with its entries in one way to the database and back; most searches need no more. */
async function searchMemories(database: Database, owner: MemoryOwner, { search, aids }: Searching): Promise<FoundSet<Memory>> {
  const index = indexOf(search, aids);
  const { memories, ...texts } = await callFunction<FoundTexts & { readonly memories: readonly FoundMemory[] }>(
    database,
    sql`toolwright.search_memories(${owner.tenant}, ${owner.owner}, ${finderArguments(search, index)})`,
  );
  const items = new Map(memories.map((memory) => [memory.key, withoutNulls(memory)]));
  const looked = { search, index, texts };
  if (!isWorthMore(looked)) return { ...toCandidates(looked), items };
  return asOwner(database, owner, async (query) => {
    const found = await findFurther(query, looked);
    const missing = found.candidates.map(({ id }) => id).filter((id) => !items.has(id));
    const rows = missing.length === 0 ? [] : await selectMemories(query, owner, search).where("key", "in", missing).execute();
    for (const row of rows) items.set(row.key, toMemory(row));
    return { ...found, items };
  });
}

function indexOf({ category, session, now, quick }: MemorySearch, aids: SearchAids): SearchIndex {
  const conditions = [
    sql`(expires_at is null or expires_at > ${new Date(now)})`,
    session === undefined ? sql`category <> 'conversation'` : sql`(category <> 'conversation' or session = ${session})`,
    ...(category === undefined ? [] : [sql`category = ${category}`]),
  ];
  return {
    ...{ view: "toolwright.memory_index", vectors: memoryVectors, aids },
    id: sql<string>`entry.key`,
    where: sql<boolean>`${sql.join(conditions, sql` and `)}`,
    finder: "find_memories",
    arguments: [sql`${new Date(now)}`, sql`${session ?? null}`, sql`${category ?? null}`],
    isNarrow: category !== undefined,
    isQuick: quick,
  };
}

/** Keys in the order of their characters, on every database alike. */
async function listMemories(query: Query, owner: MemoryOwner, { after, limit = 50, category, now }: MemoryPage) {
  let selected = selectMemories(query, owner, { now });
  if (category !== undefined) selected = selected.where("category", "=", category);
  if (after !== undefined) selected = selected.where(sql<boolean>`key collate "C" > ${storableText(after)}`);
  const rows = await selected
    .orderBy(sql`key collate "C"`)
    .limit(limit + 1)
    .execute();
  const memories = rows.slice(0, limit).map(toMemory);
  const last = memories.at(-1);
  return { memories, ...(rows.length > limit && last && { next: last.key }) };
}

type Columns = Selectable<MemoryTables["toolwright.memories"]>;
type MemoryRow = Omit<Columns, "tenant" | "owner" | "by">;
/** An entry as a search of the database gives it. */
type FoundMemory = Omit<Memory, "session" | "expiresAt"> & { readonly session: string | null; readonly expiresAt: number | null };
type VersionRow = Omit<Selectable<MemoryTables["toolwright.memory_versions"]>, "tenant" | "owner" | "key">;

/** Entries of the owner that are not over. */
function selectMemories(query: Query, { tenant, owner }: MemoryOwner, { now }: { readonly now: number }) {
  return query
    .selectFrom("toolwright.memories")
    .select(["key", "content", "category", "trust", "sources", "session", "version", "created_at", "saved_at", "expires_at"])
    .where("tenant", "=", tenant)
    .where("owner", "=", owner)
    .where(sql<boolean>`(expires_at is null or expires_at > ${new Date(now)})`);
}

/** Newest first. */
function selectVersions(query: Query, { tenant, owner }: MemoryOwner, key: string) {
  return query
    .selectFrom("toolwright.memory_versions")
    .select(["version", "content", "category", "trust", "sources", "by", "saved_at"])
    .where("tenant", "=", tenant)
    .where("owner", "=", owner)
    .where("key", "=", key)
    .orderBy("version", "desc");
}

function toMemory({ created_at, saved_at, expires_at, ...rest }: MemoryRow): Memory {
  const times = { createdAt: created_at.getTime(), savedAt: saved_at.getTime(), expiresAt: expires_at?.getTime() ?? null };
  return withoutNulls({ ...rest, ...times });
}

const withoutNulls = ({ session, expiresAt, ...rest }: FoundMemory): Memory => ({
  ...rest,
  ...(session !== null && { session }),
  ...(expiresAt !== null && { expiresAt }),
});

function toVersion({ saved_at, ...rest }: VersionRow): MemoryVersion {
  return { ...rest, savedAt: saved_at.getTime() };
}
