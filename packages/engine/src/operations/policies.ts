import { MANAGE_POLICY } from "../contract/permissions.ts";
import { defineSubject } from "./define-subject.ts";
import { currentPolicy, diffPolicy, explainCall, lintTenantPolicy, policyVersions, putPolicy, revertPolicy } from "./policy.ts";
import { checkPolicy, exportPolicyFile, policySchema, readPlatformPolicy, testPolicy } from "./policy-authoring.ts";
import { simulateTenantPolicy } from "./simulate.ts";

export const policiesSubject = defineSubject({
  name: "policies",
  permissions: [{ name: MANAGE_POLICY, about: "read and change the policy of the tenant" }],
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
