import type { Principal } from "../contract/principal.ts";
import type { Logger } from "../ports/logger.ts";
import type { PolicyStore, PolicyVersion } from "../ports/policy-store.ts";
import { narrowPolicy } from "./ceiling/ceiling-policy.ts";
import { compilePolicy } from "./compile-policy.ts";
import { tiersOfTenant } from "./document/tenant-policy.ts";
import type { Policy, PolicyTier } from "./policy.ts";

/** What holds for each tenant: the platform's tiers, with the version of the tenant's own that is in force. */
interface TenantPolicies {
  /** At once; compiled anew only where one of the two changed. */
  of(tenant: string): Policy;
  /** What would hold with these tiers of a tenant in place of its own. Throws `policy_invalid`. */
  draft(own: readonly PolicyTier[]): Policy;
  /** Puts other tiers of the platform in force. Throws `policy_invalid` and keeps the old ones when they are not valid. */
  set(tiers: readonly PolicyTier[]): void;
}

interface Compiled {
  readonly version: PolicyVersion;
  readonly policy: Policy;
}

export function createTenantPolicies(first: readonly PolicyTier[], store: Pick<PolicyStore, "current">, logger: Logger): TenantPolicies {
  let tiers = first;
  let shared = compilePolicy(tiers);
  const own = new Map<string, Compiled>();
  return {
    of(tenant) {
      const version = store.current(tenant);
      if (!version) return shared;
      const found = own.get(tenant);
      if (found?.version === version) return found.policy;
      const policy = compilePolicy([...tiers, ...readTiers(version, logger)]);
      own.set(tenant, { version, policy });
      return policy;
    },
    draft: (own) => compilePolicy([...tiers, ...own]),
    set(wanted) {
      shared = compilePolicy(wanted);
      tiers = wanted;
      own.clear();
    },
  };
}

/** A version that this process cannot read, as one of a newer Toolwright may be, lets nothing run. */
function readTiers(version: PolicyVersion, logger: Logger): readonly PolicyTier[] {
  try {
    return tiersOfTenant(version);
  } catch (error) {
    const { tenant, revision } = version;
    const message = `The policy of the tenant ${tenant} cannot be read here, so its calls are denied. Update Toolwright, or put another version.`;
    logger.log("error", message, { tenant, revision, error: error instanceof Error ? error.message : String(error) });
    return [{ tier: "tenant", tenant, document: { version: 1, tools: { allow: [] } } }];
  }
}

const narrowed = new WeakMap<Policy, WeakMap<Principal, Policy>>();

/** The policy for a principal; for a sub-agent that of everyone up to whom all of it comes from, within every bound on the way. */
export function policyOf(policy: Policy, principal: Principal): Policy {
  if (!principal.delegated) return policy.forPrincipal(principal);
  const known = narrowed.get(policy) ?? new WeakMap<Principal, Policy>();
  const found = known.get(principal) ?? narrowPolicy(policy, principal);
  narrowed.set(policy, known.set(principal, found));
  return found;
}
