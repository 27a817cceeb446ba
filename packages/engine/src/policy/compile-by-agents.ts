import type { Principal } from "../contract/principal.ts";
import { defaultPolicy } from "./document/policy-document.ts";
import type { Policy, PolicyTier } from "./policy.ts";

type Compile = (documents: readonly PolicyTier[], forPrincipal: Policy["forPrincipal"]) => Policy;

/** What holds for everybody, and on demand what holds for the agents that a principal is or acts for. */
export function compileByAgents(documents: readonly PolicyTier[], compile: Compile): Policy {
  const named = new Set(documents.flatMap(({ agent }) => agent ?? []));
  const byAgents = new Map<string, Policy>();
  const forAgents = (ids: readonly string[]): Policy => {
    const key = JSON.stringify(ids);
    let found = byAgents.get(key);
    if (!found) {
      found = compile(documentsOf(documents, ids), forPrincipal);
      byAgents.set(key, found);
    }
    return found;
  };
  const forPrincipal: Policy["forPrincipal"] = (principal) =>
    named.size === 0 ? everybody : forAgents(agentsOf(principal).filter((id) => named.has(id)));
  const everybody = forAgents([]);
  // A document that is not valid is refused now, not at its agent's first call.
  for (const id of named) forAgents([id]);
  return everybody;
}

/** An agent's documents only narrow, so there is always a higher one. */
function documentsOf(documents: readonly PolicyTier[], ids: readonly string[]): readonly PolicyTier[] {
  const shared = documents.filter(({ agent }) => agent === undefined);
  const own = documents.filter(({ agent }) => agent !== undefined && ids.includes(agent));
  return [...(shared.length > 0 ? shared : [{ tier: "platform" as const, document: defaultPolicy }]), ...own];
}

function agentsOf({ actor, agent }: Pick<Principal, "actor" | "agent">): readonly string[] {
  const ids = [...(agent === undefined ? [] : [agent]), ...(actor.kind === "agent" ? [actor.id] : [])];
  return [...new Set(ids)].sort();
}
