const mostTenants = 10_000;

/** Remembers in this process what waits for nothing, by tenant: to look at all entries for it takes as long as a search. */
export function createSettled(listen: () => void) {
  const settled = new Map<string, Set<string>>();
  let forgotten = 0;
  let isListening = false;
  return {
    /** Looks for rows, where it is not known that there are none. */
    async unless<Row>(
      { tenant, of }: { readonly tenant: string; readonly of: string },
      look: () => Promise<readonly Row[]>,
    ): Promise<readonly Row[]> {
      if (settled.get(tenant)?.has(of)) return [];
      if (!isListening) listen();
      isListening = true;
      const before = forgotten;
      const rows = await look();
      if (settled.size >= mostTenants) settled.clear();
      if (rows.length === 0 && forgotten === before) settled.set(tenant, (settled.get(tenant) ?? new Set()).add(of));
      return rows;
    },
    /** Of all tenants, where none is named. */
    forget(tenant: string | undefined): void {
      forgotten += 1;
      if (tenant === undefined) settled.clear();
      else settled.delete(tenant);
    },
  };
}
