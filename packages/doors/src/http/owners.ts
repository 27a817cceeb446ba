import type { Principal } from "@toolwright/engine";
import { digest, sharerOf } from "@toolwright/engine/ports";

/** Whose something is that this process keeps from one request to the next. */
export interface Owner {
  readonly tenant: string;
  /** Key of the principal. */
  readonly owner: string;
  /** Who shares the places with others, with whichever key: `sharerOf`. */
  readonly person: string;
}

const principalKeys = new WeakMap<Principal, string>();

/**
 * Names the principal in maps and bindings; no part of it can be mistaken for another. A person's API key is part of it, because it may do less
 * than the person, and so is that a credential is not for answering.
 */
export function principalKey(principal: Principal): string {
  let name = principalKeys.get(principal);
  if (name === undefined) {
    const { tenant, actor, agent = null, key, interactive } = principal;
    name = digest([tenant, actor.kind, actor.id, agent, ...(key === undefined ? [] : [key]), ...(interactive === false ? [false] : [])]);
    principalKeys.set(principal, name);
  }
  return name;
}

/** Who has all the places that they may have. */
export type Taken = "caller" | "tenant" | "server";

export function ownerOf(principal: Principal): Owner {
  return { owner: principalKey(principal), ...sharerOf(principal) };
}

/**
 * Undefined when there is one of `max` places left for another. A tenant may have a quarter of them, and one person a quarter of that, with all their keys, so that nobody
 * takes the places of all.
 */
export function takenFor({ tenant, person }: Owner, held: Iterable<Owner>, max: number): Taken | undefined {
  const count = { caller: 0, tenant: 0, server: 0 };
  for (const each of held) {
    count.server++;
    if (each.tenant !== tenant) continue;
    count.tenant++;
    if (each.person === person) count.caller++;
  }
  if (count.caller >= Math.ceil(max / 16)) return "caller";
  if (count.tenant >= Math.ceil(max / 4)) return "tenant";
  return count.server >= max ? "server" : undefined;
}

const words: Record<Taken, (things: string) => string> = {
  caller: (things) => `You have as many ${things} as one person may have, and all are in use. End one first.`,
  tenant: (things) => `Your tenant has as many ${things} as it may have. End one first, or try again later.`,
  server: (things) => `This server has as many ${things} as it can hold. Try again later.`,
};

export function sayTaken(taken: Taken, things: string): string {
  return words[taken](things);
}
