import type { Actor, JsonObject } from "@toolwright/engine";
import { type NewPolicyVersion, type PolicyStore, type PolicyVersion, policyConflict, policyPage } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";

export interface PostgresPolicyStore extends PolicyStore {
  close(): void;
}

const topic = "policies";

interface PolicyStoreOptions {
  readonly warn?: (message: string) => void;
  readonly decides?: boolean | undefined;
}

/** Policies of tenants in PostgreSQL. Those in force are kept in memory: decisions ask synchronously. Resolves when they are read, for a process that decides. */
export async function openPostgresPolicyStore(
  database: Database,
  { warn = () => {}, decides = true }: PolicyStoreOptions = {},
): Promise<PostgresPolicyStore> {
  const newest = new Map<string, PolicyVersion>();
  const listeners = new Set<() => void>();
  const take = (versions: readonly PolicyVersion[]) => {
    // Answers may overtake each other; an older one changes nothing.
    const news = versions.filter(({ tenant, revision }) => revision > (newest.get(tenant)?.revision ?? 0));
    for (const version of news) newest.set(version.tenant, version);
    if (news.length > 0) for (const listener of listeners) listener();
  };
  const lookAround = async () => {
    const revisions = await database.asSystem(readRevisions);
    for (const [tenant, { revision }] of newest) if ((revisions.get(tenant) ?? 0) < revision) newest.delete(tenant);
    const grown = [...revisions].filter(([tenant, revision]) => newest.get(tenant)?.revision !== revision).map(([tenant]) => tenant);
    if (grown.length > 0) take(await database.asSystem((query) => readNewest(query, grown)));
  };
  let closed = false;
  const unlisten = database.listen(topic, (notice) => {
    const read = notice ? database.asSystem((query) => readNewest(query, [notice.tenant])).then(take) : lookAround();
    read.catch((error: unknown) => {
      if (!closed) warn(`The policies of tenants could not be read again; it is tried again within seconds: ${String(error)}`);
    });
  });
  if (decides) await lookAround();
  return {
    current: (tenant) => newest.get(tenant),
    async put(wanted) {
      const kept = await database.asTenant(wanted.tenant, (query) => insertVersion(query, wanted));
      take([kept]);
      database.announce({ topic, tenant: kept.tenant, id: String(kept.revision) });
      return newest.get(kept.tenant)?.revision === kept.revision ? (newest.get(kept.tenant) as PolicyVersion) : kept;
    },
    list: (tenant, { before, limit = policyPage } = {}) =>
      database.asTenant(tenant, async (query) => {
        const rows = await selectVersions(query, tenant)
          .$if(before !== undefined, (some) => some.where("revision", "<", before ?? 0))
          .orderBy("revision", "desc")
          .limit(limit)
          .execute();
        return rows.map(toVersion);
      }),
    find: (tenant, revision) =>
      database.asTenant(tenant, async (query) => {
        const row = await selectVersions(query, tenant).where("revision", "=", revision).executeTakeFirst();
        return row && toVersion(row);
      }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closed = true;
      unlisten();
      listeners.clear();
    },
  };
}

/** The key of the table lets one of many win that follow the same revision. */
async function insertVersion(query: Query, { read, ...version }: NewPolicyVersion): Promise<PolicyVersion> {
  const { tenant, document, author, at } = version;
  const kept = { ...version, author: { kind: author.kind, id: storableText(author.id) }, note: storableText(version.note) };
  const newest = await newestRevision(query, tenant);
  if (newest !== read) throw policyConflict(read, newest);
  const { numInsertedOrUpdatedRows = 0n } = await query
    .insertInto("toolwright.policy_versions")
    .values({
      tenant,
      revision: read + 1,
      document: JSON.stringify(document),
      author_kind: kept.author.kind,
      author_id: kept.author.id,
      note: kept.note,
      created_at: new Date(at),
    })
    .onConflict((conflict) => conflict.columns(["tenant", "revision"]).doNothing())
    .executeTakeFirst();
  if (numInsertedOrUpdatedRows === 0n) throw policyConflict(read, await newestRevision(query, tenant));
  return { ...kept, revision: read + 1 };
}

async function newestRevision(query: Query, tenant: string): Promise<number> {
  return (await readRevisions(query, tenant)).get(tenant) ?? 0;
}

async function readRevisions(query: Query, tenant?: string): Promise<ReadonlyMap<string, number>> {
  const rows = await query
    .selectFrom("toolwright.policy_versions")
    .select(["tenant", sql<number>`max(revision)`.as("revision")])
    .$if(tenant !== undefined, (some) => some.where("tenant", "=", tenant ?? ""))
    .groupBy("tenant")
    .execute();
  return new Map(rows.map((row) => [row.tenant, Number(row.revision)]));
}

async function readNewest(query: Query, tenants: readonly string[]): Promise<readonly PolicyVersion[]> {
  const rows = await query
    .selectFrom("toolwright.policy_versions")
    .distinctOn("tenant")
    .select(columns)
    .where("tenant", "in", tenants)
    .orderBy("tenant")
    .orderBy("revision", "desc")
    .execute();
  return rows.map(toVersion);
}

const columns = ["tenant", "revision", "document", "author_kind", "author_id", "note", "created_at"] as const;

function selectVersions(query: Query, tenant: string) {
  return query.selectFrom("toolwright.policy_versions").select(columns).where("tenant", "=", tenant);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectVersions>["executeTakeFirstOrThrow"]>>;

function toVersion({ tenant, revision, document, author_kind, author_id, note, created_at }: Row): PolicyVersion {
  const author: Actor = { kind: author_kind as Actor["kind"], id: author_id };
  return { tenant, revision: Number(revision), document: document as JsonObject, author, note, at: created_at.getTime() };
}
