import type { Principal } from "../contract/principal.ts";
import { defaultPolicy } from "./document/policy-document.ts";
import type { Policy, PolicyTier } from "./policy.ts";

type Compile = (documents: readonly PolicyTier[], forPrincipal: Policy["forPrincipal"]) => Policy;

/** Whose documents a principal is under, of the tenants and agents that some document names. */
interface Named {
  readonly tenant: string | undefined;
  readonly agents: readonly string[];
}

/** What holds for everybody, and on demand what holds for the tenant of a principal and for the agents that it is or acts for. */
export function compileByPrincipal(documents: readonly PolicyTier[], compile: Compile): Policy {
  const tenants = new Set(documents.flatMap(({ tenant }) => tenant ?? []));
  const agents = new Set(documents.flatMap(({ agent }) => agent ?? []));
  const compiled = new Map<string | undefined, Map<string, Policy>>();
  const policyFor = (named: Named): Policy => {
    const ofTenant = compiled.get(named.tenant) ?? new Map<string, Policy>();
    const key = named.agents.length === 0 ? "" : JSON.stringify(named.agents);
    const found = ofTenant.get(key) ?? compile(documentsOf(documents, named), forPrincipal);
    compiled.set(named.tenant, ofTenant.set(key, found));
    return found;
  };
  const forPrincipal: Policy["forPrincipal"] = (principal) => {
    const tenant = tenants.has(principal.tenant) ? principal.tenant : undefined;
    const ids = agents.size === 0 ? noAgents : agentsOf(principal).filter((id) => agents.has(id));
    return tenant === undefined && ids.length === 0 ? everybody : policyFor({ tenant, agents: ids });
  };
  const everybody = policyFor({ tenant: undefined, agents: noAgents });
  // A document that is not valid is refused now, not at the first call under it.
  for (const { tenant, agent } of documents) policyFor({ tenant, agents: agent === undefined ? noAgents : [agent] });
  return everybody;
}

const noAgents: readonly string[] = [];

/** Documents of a tenant or an agent only narrow, so there is always a higher one. */
function documentsOf(documents: readonly PolicyTier[], { tenant, agents }: Named): readonly PolicyTier[] {
  const isShared = (each: PolicyTier) => each.tenant === undefined && each.agent === undefined;
  const shared = documents.filter(isShared);
  const own = documents.filter(
    (each) => !isShared(each) && (each.tenant ?? tenant) === tenant && (each.agent === undefined || agents.includes(each.agent)),
  );
  return [...(shared.length > 0 ? shared : [{ tier: "platform" as const, document: defaultPolicy }]), ...own];
}

function agentsOf({ actor, agent }: Pick<Principal, "actor" | "agent">): readonly string[] {
  const ids = [...(agent === undefined ? [] : [agent]), ...(actor.kind === "agent" ? [actor.id] : [])];
  return [...new Set(ids)].sort();
}
