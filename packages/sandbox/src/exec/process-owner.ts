import type { CallSite } from "@toolwright/engine";

/** Whom a background process belongs to: an agent, or else who asked, in one session of one tenant. */
export interface Owner {
  readonly tenant: string;
  readonly session: string;
  /** Equal for equal owners only, and never equal to a tenant's. */
  readonly key: string;
  readonly tenantKey: string;
}

export function ownerOf({ principal, session }: CallSite): Owner {
  const { tenant, agent, actor } = principal;
  const who = agent === undefined ? [actor.kind, actor.id] : [agent];
  return { tenant, session, key: JSON.stringify([tenant, session, ...who]), tenantKey: JSON.stringify([tenant]) };
}
