import { sql } from "kysely";
import type { Database } from "../database/database.ts";

/** What of the secrets is known without asking the database: which there are, and their generations. Kept fresh across processes. */
interface SecretCache {
  /** Generation of the agent's own secret, else of the tenant's; 0 when there is neither. */
  generation(tenant: string, name: string, agent?: string): number;
  /** Whether the agent has a secret of its own under this name. */
  isOwn(tenant: string, name: string, agent: string): boolean;
  refresh(tenant: string): Promise<void>;
  close(): void;
}

interface TenantSecrets {
  readonly revision: number;
  readonly generations: ReadonlyMap<string, number>;
}

interface Row {
  readonly tenant: string;
  readonly revision: number;
  readonly agent: string | null;
  readonly name: string | null;
  readonly generation: number | null;
}

const keyOf = (agent: string, name: string) => JSON.stringify([agent, name]);

export async function openSecretCache(database: Database): Promise<SecretCache> {
  const known = new Map<string, TenantSecrets>();
  const refresh = async (tenants: readonly string[]) => {
    for (const [tenant, found] of await readTenants(database, tenants)) {
      // Answers may overtake each other; an older one changes nothing.
      if (found.revision >= (known.get(tenant)?.revision ?? 0)) known.set(tenant, found);
    }
  };
  const lookAround = async () => {
    const revisions = await readRevisions(database);
    for (const tenant of known.keys()) if (!revisions.has(tenant)) known.delete(tenant);
    const changed = [...revisions].filter(([tenant, revision]) => known.get(tenant)?.revision !== revision);
    if (changed.length > 0) await refresh(changed.map(([tenant]) => tenant));
  };
  // A database that is away is looked at again at the next notice; whoever reads a secret meanwhile is told.
  const stop = database.listen("secrets", (change) => void (change ? refresh([change.tenant]) : lookAround()).catch(() => {}));
  await lookAround();
  return {
    generation(tenant, name, agent = "") {
      const generations = known.get(tenant)?.generations;
      return generations?.get(keyOf(agent, name)) ?? generations?.get(keyOf("", name)) ?? 0;
    },
    isOwn: (tenant, name, agent) => known.get(tenant)?.generations.has(keyOf(agent, name)) === true,
    refresh: (tenant) => refresh([tenant]),
    close: stop,
  };
}

async function readRevisions(database: Database): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.asSystem((query) =>
    sql<{ tenant: string; revision: number }>`select tenant, revision from toolwright.revisions where area = 'secrets'`.execute(query),
  );
  return new Map(rows.map(({ tenant, revision }) => [tenant, revision]));
}

/** One statement, so that the revision and the rows are of the same moment. */
async function readTenants(database: Database, tenants: readonly string[]): Promise<ReadonlyMap<string, TenantSecrets>> {
  const { rows } = await database.asSystem((query) =>
    sql<Row>`select r.tenant, r.revision, s.agent, s.name, s.generation from toolwright.revisions r
      left join toolwright.secrets s on s.tenant = r.tenant
      where r.area = 'secrets' and r.tenant = any(${tenants}::text[])`.execute(query),
  );
  const found = new Map<string, { revision: number; generations: Map<string, number> }>();
  for (const { tenant, revision, agent, name, generation } of rows) {
    const of = found.get(tenant) ?? { revision, generations: new Map<string, number>() };
    found.set(tenant, of);
    if (agent !== null && name !== null && generation !== null) of.generations.set(keyOf(agent, name), generation);
  }
  return found;
}
