/** What of a tenant waits: `of` says for whom, and with which model. */
interface Asked {
  readonly tenant: string;
  readonly of: string;
  readonly limit: number;
}

const mostTenants = 10_000;
const mostNames = 200;

/**
 * Remembers in this process what waits for vectors, so that only this is looked at again: to look at all entries takes as long as a search.
 * `nameOf` is what changes are told by.
 */
export function createWaiting<Row>(nameOf: (row: Row) => string, listen: () => void) {
  /** By tenant and by what was asked: nothing waits but these. */
  const known = new Map<string, Map<string, Set<string>>>();
  let changes = 0;
  let isListening = false;
  return {
    /** Looks for what waits: among all, or among some names. */
    async find(
      { tenant, of, limit }: Asked,
      look: (names: readonly string[] | undefined) => Promise<readonly Row[]>,
    ): Promise<readonly Row[]> {
      const names = known.get(tenant)?.get(of);
      if (names?.size === 0) return [];
      if (!isListening) listen();
      isListening = true;
      const before = changes;
      const rows = await look(names && [...names]);
      if (changes !== before || rows.length >= limit) return rows;
      if (known.size >= mostTenants) known.clear();
      const ofTenant = known.get(tenant) ?? new Map<string, Set<string>>();
      known.set(tenant, ofTenant.set(of, new Set(rows.map(nameOf))));
      return rows;
    },
    /** Without a change: some may have been missed. */
    heard(change: { readonly tenant: string; readonly id: string } | undefined): void {
      changes += 1;
      if (!change) {
        known.clear();
        return;
      }
      const ofTenant = known.get(change.tenant);
      for (const [of, names] of ofTenant ?? []) {
        if (names.size < mostNames) names.add(change.id);
        else ofTenant?.delete(of);
      }
    },
  };
}
