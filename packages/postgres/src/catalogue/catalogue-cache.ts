import type { TenantFacts } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Announcement, Database } from "../database/database.ts";
import { readCatalogue } from "./read-catalogue.ts";
import { makeFacts } from "./tenant-facts.ts";

export const catalogueTopic = "catalogue";

interface CatalogueCache {
  of(tenant: string): TenantFacts | undefined;
  /** Reads these tenants anew; what was committed before the call is seen when it resolves. */
  refresh(tenants: readonly string[]): Promise<void>;
  onChange(listener: () => void): () => void;
  close(): void;
}

interface CatalogueCacheOptions {
  readonly warn: (message: string) => void;
  readonly decides: boolean;
}

/** What rows say, of every tenant, kept in memory: admission asks synchronously. Resolves when all is read, for a process that decides. */
export async function openCatalogueCache(database: Database, { warn, decides }: CatalogueCacheOptions): Promise<CatalogueCache> {
  const known = new Map<string, TenantFacts>();
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const refresh = async (tenants: readonly string[]) => {
    const rows = await database.asSystem((query) => readCatalogue(query, tenants));
    let changed = false;
    for (const [tenant, facts] of makeFacts(rows, (name) => known.get(name))) {
      // Of two readers at once, the one that read later has the word, whichever ends first.
      if ((known.get(tenant)?.revision ?? -1) >= facts.revision) continue;
      known.set(tenant, facts);
      changed = true;
    }
    if (changed) tell();
  };
  const unless = (failed: Promise<void>) =>
    void failed.catch((error: unknown) => {
      if (listening) warn(`What is enabled could not be read again; it is tried again within seconds: ${String(error)}`);
    });
  let listening = true;
  const onNotice = (notice: Announcement | undefined) => {
    if (!notice) unless(lookAgain(database, { known, refresh, tell }));
    else if ((known.get(notice.tenant)?.revision ?? -1) < Number(notice.id)) unless(refresh([notice.tenant]));
  };
  // Before reading: what changes meanwhile is announced, and read once more.
  const unlisten = database.listen(catalogueTopic, onNotice);
  // Most stores have said nothing of tools yet: then there is nothing more to read.
  if (decides) await lookAgain(database, { known, refresh, tell });
  return {
    of: (tenant) => known.get(tenant),
    refresh,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      listening = false;
      unlisten();
      listeners.clear();
    },
  };
}

interface Looking {
  readonly known: Map<string, TenantFacts>;
  readonly refresh: (tenants: readonly string[]) => Promise<void>;
  readonly tell: () => void;
}

/** Compares revisions, which is cheap, and reads what differs. */
async function lookAgain(database: Database, { known, refresh, tell }: Looking): Promise<void> {
  const { rows } = await database.asSystem((query) =>
    sql<{ tenant: string; revision: number }>`select tenant, revision from toolwright.revisions where area = 'catalogue'`.execute(query),
  );
  const living = new Set(rows.map(({ tenant }) => tenant));
  const gone = [...known.keys()].filter((tenant) => !living.has(tenant));
  for (const tenant of gone) known.delete(tenant);
  if (gone.length > 0) tell();
  // A tenant that was removed and made anew counts from one again.
  for (const { tenant, revision } of rows) if ((known.get(tenant)?.revision ?? 0) > revision) known.delete(tenant);
  const stale = rows.filter(({ tenant, revision }) => known.get(tenant)?.revision !== revision).map(({ tenant }) => tenant);
  if (stale.length > 0) await refresh(stale);
}
