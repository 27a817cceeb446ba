import { ToolwrightError } from "@toolwright/engine/errors";
import {
  type BindingChoice,
  type Clock,
  checkSecretName,
  checkSecretValue,
  type KeyCheck,
  type Rotation,
  type SecretAdmin,
  type SecretName,
  type SecretStore,
  systemClock,
  type TenantKeys,
  toSecretBinding,
} from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { isStorable } from "../database/storable-text.ts";
import { checkSecrets } from "./check-secrets.ts";
import type { Keyring } from "./keyring.ts";
import { rotateSecrets } from "./rotate-secrets.ts";
import { openSecret, sealSecret } from "./seal-secret.ts";
import { readBinding, writeBinding } from "./secret-binding.ts";
import { openSecretCache } from "./secret-cache.ts";
import { entryColumns, type SealedEntry, toEntry } from "./secret-entry.ts";
import { createSecretUses } from "./secret-uses.ts";
import { createTenantKeys } from "./tenant-keys.ts";

/** Secrets under envelope encryption. */
export interface PostgresSecretStore extends SecretStore, SecretAdmin {
  /** Keys under which calls that wait keep sensitive members, sealed under the same master keys. */
  readonly tenantKeys: TenantKeys;
  set(secret: SecretName, value: string, binding?: BindingChoice): Promise<SealedEntry>;
  list(tenant: string): Promise<readonly SealedEntry[]>;
  /** Brings all secrets and keys of all tenants under the current master key, while others read and write. */
  rotate(): Promise<Rotation>;
  /** Tries to open every secret, and counts which master keys are needed. */
  check(): Promise<KeyCheck>;
  /** Writes down the uses that wait, and stops listening to other processes. */
  close(): Promise<void>;
}

export async function createPostgresSecretStore(
  database: Database,
  keyring: Keyring,
  { clock = systemClock }: { readonly clock?: Clock } = {},
): Promise<PostgresSecretStore> {
  const cache = await openSecretCache(database);
  const uses = createSecretUses(database, clock);
  const tell = async ({ tenant, name }: SecretName) => {
    await cache.refresh(tenant);
    database.announce({ topic: "secrets", tenant, id: name });
  };
  const getBound: SecretStore["getBound"] = async (tenant, name, agent) => {
    if (!isStorable(name)) return undefined;
    const row = await database.asTenant(tenant, (query) => findSecret(query, { tenant, name, agent }));
    if ((row?.generation ?? 0) !== cache.generation(tenant, name, agent)) await cache.refresh(tenant);
    return row && { ...readBinding(row.binding), value: openSecret(row, row, keyring) };
  };
  return {
    tenantKeys: createTenantKeys(database, keyring),
    has: (...which) => cache.generation(...which) > 0,
    generation: (...which) => String(cache.generation(...which)),
    get: async (...which) => (await getBound(...which))?.value,
    getBound,
    boundTo: async (tenant, origin, agent) => {
      const rows = await database.asTenant(tenant, (query) => listBindings(query, { tenant, agent }));
      return rows.flatMap(({ name, binding }) => (readBinding(binding).origins.includes(origin) ? [name] : []));
    },
    noteUse({ tenant, name, agent = "", tool }) {
      uses.note({ tenant, name, agent: cache.isOwn(tenant, name, agent) ? agent : "", tool });
    },
    async set(secret, value, choice = { hosts: [] }) {
      checkSecretName(secret);
      checkSecretValue(value, secret.name);
      const binding = writeBinding(toSecretBinding(choice));
      const entry = await database.asTenant(secret.tenant, (query) => writeSecret(query, secret, { value, binding, keyring }));
      await tell(secret);
      return entry;
    },
    async remove(secret) {
      const removed = await database.asTenant(secret.tenant, (query) => removeSecret(query, secret));
      if (removed) await tell(secret);
      return removed;
    },
    async list(tenant) {
      await uses.settle();
      return database.asTenant(tenant, (query) => listSecrets(query, tenant));
    },
    rotate: () => rotateSecrets(database, keyring),
    check: () => checkSecrets(database, keyring),
    async close() {
      cache.close();
      await uses.close();
    },
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

/** One row for each name: the agent's own, else the tenant's. */
function listBindings(query: Query, { tenant, agent = "" }: Omit<SecretName, "name">) {
  return query
    .selectFrom("toolwright.secrets")
    .distinctOn("name")
    .select(["name", "binding"])
    .where("tenant", "=", tenant)
    .where("agent", "in", [agent, ""])
    .orderBy("name")
    .orderBy(sql`agent = ''`)
    .execute();
}

async function writeSecret(
  query: Query,
  { tenant, name, agent = "" }: SecretName,
  { value, binding, keyring }: { readonly value: string; readonly binding: string | null; readonly keyring: Keyring },
): Promise<SealedEntry> {
  const generation = await nextRevision(query, tenant);
  const sealed = sealSecret(value, { tenant, agent, name, generation, binding }, keyring.current());
  const row = await query
    .insertInto("toolwright.secrets")
    .values({ tenant, agent, name, generation, binding, ...sealed })
    .onConflict((conflict) =>
      conflict.columns(["tenant", "agent", "name"]).doUpdateSet({ generation, binding, ...sealed, changed_at: sql`now()` }),
    )
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

async function listSecrets(query: Query, tenant: string): Promise<readonly SealedEntry[]> {
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
