import { type ChainEnd, chainStart } from "@toolwright/engine/ports";

/** Where this process left the chains of the sessions that it wrote to last: a guess, as others may have gone on since. */
export interface ChainHeads {
  find(tenant: string, session: string): ChainEnd;
  keep(tenant: string, session: string, head: ChainEnd): void;
}

const most = 5_000;

export function createChainHeads(): ChainHeads {
  const heads = new Map<string, ChainEnd>();
  const keyOf = (tenant: string, session: string) => `${tenant}\n${session}`;
  return {
    find: (tenant, session) => heads.get(keyOf(tenant, session)) ?? chainStart,
    keep(tenant, session, head) {
      const key = keyOf(tenant, session);
      heads.delete(key);
      const oldest = heads.size >= most ? heads.keys().next().value : undefined;
      if (oldest !== undefined) heads.delete(oldest);
      heads.set(key, head);
    },
  };
}
