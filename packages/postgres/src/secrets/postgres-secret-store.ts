import { type SecretStore, ToolwrightError } from "@toolwright/engine";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { checkSecrets, type SecretCheck } from "./check-secrets.ts";
import { refuseName, refuseValue } from "./check-value.ts";
import type { Keyring } from "./keyring.ts";
import { type Rotation, rotateSecrets } from "./rotate-secrets.ts";
import { openSecret, sealSecret } from "./seal-secret.ts";
import { openSecretCache } from "./secret-cache.ts";
import { entryColumns, type SecretEntry, type SecretName, toEntry } from "./secret-entry.ts";

/** Secrets under envelope encryption. What was set can be used by tools, replaced and removed, but not looked at. */
export interface PostgresSecretStore extends SecretStore {
  /** Rejects with `invalid_input`. */
  set(secret: SecretName, value: string): Promise<SecretEntry>;
  /** False when there was none. */
  remove(secret: SecretName): Promise<boolean>;
  list(tenant: string): Promise<readonly SecretEntry[]>;
  /** Brings all secrets of all tenants under the current master key, while others read and write. */
  rotate(): Promise<Rotation>;
  /** Tries to open every secret, and counts which master keys are needed. */
  check(): Promise<SecretCheck>;
  /** Stops listening to other processes. */
  close(): void;
}

export async function createPostgresSecretStore(database: Database, keyring: Keyring): Promise<PostgresSecretStore> {
  const cache = await openSecretCache(database);
  const tell = async ({ tenant, name }: SecretName) => {
    await cache.refresh(tenant);
    database.announce({ topic: "secrets", tenant, id: name });
  };
  return {
    has: (...which) => cache.generation(...which) > 0,
    generation: (...which) => String(cache.generation(...which)),
    async get(tenant, name, agent) {
      const row = await database.asTenant(tenant, (query) => findSecret(query, { tenant, name, agent }));
      if ((row?.generation ?? 0) !== cache.generation(tenant, name, agent)) await cache.refresh(tenant);
      return row && openSecret(row, row, keyring);
    },
    async set(secret, value) {
      refuseName(secret);
      refuseValue(value, secret.name);
      const entry = await database.asTenant(secret.tenant, (query) => writeSecret(query, secret, { value, keyring }));
      await tell(secret);
      return entry;
    },
    async remove(secret) {
      const removed = await database.asTenant(secret.tenant, (query) => removeSecret(query, secret));
      if (removed) await tell(secret);
      return removed;
    },
    list: (tenant) => database.asTenant(tenant, (query) => listSecrets(query, tenant)),
    rotate: () => rotateSecrets(database, keyring),
    check: () => checkSecrets(database, keyring),
    close: cache.close,
  };
}

/** The agent's own before the tenant's. */
function findSecret(query: Query, { tenant, name, agent = "" }: SecretName) {
  return query
    .selectFrom("toolwright.secrets")
    .selectAll()
    .where("tenant", "=", tenant)
    .where("name", "=", name)
    .where("agent", "in", [agent, ""])
    .orderBy(sql`agent = ''`)
    .limit(1)
    .executeTakeFirst();
}

async function writeSecret(
  query: Query,
  { tenant, name, agent = "" }: SecretName,
  { value, keyring }: { readonly value: string; readonly keyring: Keyring },
): Promise<SecretEntry> {
  const generation = await nextRevision(query, tenant);
  const sealed = sealSecret(value, { tenant, agent, name, generation }, keyring.current());
  const row = await query
    .insertInto("toolwright.secrets")
    .values({ tenant, agent, name, generation, ...sealed })
    .onConflict((conflict) => conflict.columns(["tenant", "agent", "name"]).doUpdateSet({ generation, ...sealed, changed_at: sql`now()` }))
    .returning(entryColumns)
    .executeTakeFirstOrThrow();
  return toEntry(row);
}

async function removeSecret(query: Query, { tenant, name, agent = "" }: SecretName): Promise<boolean> {
  await nextRevision(query, tenant);
  const { numDeletedRows } = await query
    .deleteFrom("toolwright.secrets")
    .where("tenant", "=", tenant)
    .where("agent", "=", agent)
    .where("name", "=", name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

async function listSecrets(query: Query, tenant: string): Promise<readonly SecretEntry[]> {
  const rows = await query
    .selectFrom("toolwright.secrets")
    .select(entryColumns)
    .where("tenant", "=", tenant)
    .orderBy("name")
    .orderBy("agent")
    .execute();
  return rows.map(toEntry);
}

/** Locks the tenant's revision until the end of the transaction: changes come one after the other, each with a number of its own. */
async function nextRevision(query: Query, tenant: string): Promise<number> {
  const { rows } = await sql<{ revision: number }>`
    insert into toolwright.revisions as kept (tenant, area) values (${tenant}, 'secrets')
    on conflict (tenant, area) do update set revision = kept.revision + 1 returning revision`.execute(query);
  const [row] = rows;
  if (!row) throw new ToolwrightError("store_failed", "The database gave no revision for the change of a secret.");
  return row.revision;
}
