import { MANAGE_POLICY } from "../contract/permissions.ts";
import { policySourcePort } from "../ports/policy-source.ts";
import { defineSubject } from "./define-subject.ts";
import { currentPolicy, diffPolicy, explainCall, lintTenantPolicy, policyVersions, putPolicy, revertPolicy } from "./policy.ts";
import { checkPolicy, exportPolicyFile, policySchema, readPlatformPolicy, testPolicy } from "./policy-authoring.ts";
import { simulateTenantPolicy } from "./simulate.ts";

export const policiesSubject = defineSubject({
  name: "policies",
  permissions: [{ name: MANAGE_POLICY, about: "read and change the policy of the tenant" }],
  errors: {
    policy_conflict: { kind: "conflict", means: "The tenant's policy changed since the revision that was read; nothing was written." },
    policy_not_found: { kind: "missing", means: "The tenant has no policy of that revision." },
    policy_invalid: { kind: "invalid", means: "The policy document is not valid." },
  },
  store: [policySourcePort],
  shell: { policy: { about: "Check, test and compare policies" } },
  operations: [
    currentPolicy,
    explainCall,
    lintTenantPolicy,
    simulateTenantPolicy,
    policySchema,
    checkPolicy,
    testPolicy,
    exportPolicyFile,
    readPlatformPolicy,
    policyVersions,
    diffPolicy,
    putPolicy,
    revertPolicy,
  ],
});
