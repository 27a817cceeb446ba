import type { CallSite } from "@toolwright/engine";

/** Whom a background process belongs to: an agent, or else who asked, with one API key or with none, in one session of one tenant. */
export interface Owner {
  readonly tenant: string;
  readonly session: string;
  /** Equal for equal owners only, and never equal to a tenant's. */
  readonly key: string;
  readonly tenantKey: string;
}

export function ownerOf({ principal, session }: CallSite): Owner {
  const { tenant, agent, actor, key = null } = principal;
  const who = agent === undefined ? [actor.kind, actor.id] : [agent];
  // A person's key may do less than the person.
  return { tenant, session, key: JSON.stringify([tenant, session, key, ...who]), tenantKey: JSON.stringify([tenant]) };
}
