import { MANAGE_POLICY } from "../contract/permissions.ts";
import { listEnablement, setEnablement } from "./catalogue.ts";
import { defineSubject } from "./define-subject.ts";
import { listOverrides, removeOverride, setOverride, updateOverride } from "./overrides.ts";
import { currentPolicy, diffPolicy, explainCall, lintTenantPolicy, policyVersions, putPolicy, revertPolicy } from "./policy.ts";
import { policySchema, readPlatformPolicy, testPolicy } from "./policy-authoring.ts";
import { explainRun } from "./run-why.ts";
import { getRun, listRuns } from "./runs.ts";
import { simulateTenantPolicy } from "./simulate.ts";

// Every subject, a line each. What is not exported here does not exist for any door.
export { approvalsSubject } from "./approvals.ts";
export { artifactsSubject } from "./artifacts.ts";
export { browsersSubject } from "./browsers.ts";
export { agentsSubject } from "./catalogue.ts";
export { changesSubject } from "./changes.ts";
export { machineSubject } from "./doctor.ts";
export { documentsSubject } from "./documents.ts";
export { logSubject } from "./events.ts";
export { grantsSubject } from "./grants.ts";
export { hooksSubject } from "./hooks.ts";
export { identitySubject } from "./identity.ts";
export { jobsSubject } from "./jobs.ts";
export { memoriesSubject } from "./memories.ts";
export { modelsSubject } from "./models.ts";
export { principalsSubject } from "./principals.ts";
export { roomsSubject } from "./rooms.ts";
export { schedulesSubject } from "./schedules.ts";
export { secretsSubject } from "./secrets.ts";
export { sessionsSubject } from "./sessions.ts";
export { skillsSubject } from "./skills.ts";
export { tenantToolsSubject } from "./tenant-tools.ts";
export { tenantsSubject } from "./tenants.ts";
export { toolsSubject } from "./tools.ts";
export { turnsSubject } from "./turns.ts";
export { usageSubject } from "./usage.ts";

export const runsSubject = defineSubject({
  name: "runs",
  shell: { runs: { about: "List and show calls, one record each" } },
  operations: [listRuns, getRun, explainRun],
});
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
    testPolicy,
    readPlatformPolicy,
    policyVersions,
    diffPolicy,
    putPolicy,
    revertPolicy,
  ],
});
export const enablementSubject = defineSubject({
  name: "enablement",
  operations: [listEnablement, setEnablement, listOverrides, setOverride, updateOverride, removeOverride],
});
