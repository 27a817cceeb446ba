import { applyAgents } from "./apply-agents.ts";
import {
  agentBelongings,
  createAgent,
  getAgent,
  listAgents,
  listEnablement,
  removeAgent,
  setEnablement,
  updateAgent,
} from "./catalogue.ts";
import { defineSubject } from "./define-subject.ts";
import { listOverrides, removeOverride, setOverride, updateOverride } from "./overrides.ts";
import { currentPolicy, diffPolicy, explainCall, lintTenantPolicy, policyVersions, putPolicy, revertPolicy } from "./policy.ts";
import { checkPolicy, policySchema, readPlatformPolicy, testPolicy } from "./policy-authoring.ts";
import { explainRun } from "./run-why.ts";
import { getRun, listRuns } from "./runs.ts";
import { simulateTenantPolicy } from "./simulate.ts";
import { inspectTool, listTenantTools, putTenantTool, removeTenantTool, toolVersions } from "./tenant-tools.ts";
import { getTool, listTools, searchTools, surveyTools, toolSchema } from "./tools.ts";

// Every subject, a line each. What is not exported here does not exist for any door.
export { approvalsSubject } from "./approvals.ts";
export { artifactsSubject } from "./artifacts.ts";
export { browsersSubject } from "./browsers.ts";
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
export { tenantsSubject } from "./tenants.ts";
export { turnsSubject } from "./turns.ts";
export { usageSubject } from "./usage.ts";

export const toolsSubject = defineSubject({
  name: "tools",
  shell: { tools: { about: "Manage who has which tools" } },
  operations: [listTools, searchTools, getTool, toolSchema, surveyTools],
});
export const tenantToolsSubject = defineSubject({
  name: "tenantTools",
  operations: [inspectTool, listTenantTools, putTenantTool, removeTenantTool, toolVersions],
});
export const runsSubject = defineSubject({
  name: "runs",
  shell: { runs: { about: "List and show calls, one record each" } },
  operations: [listRuns, getRun, explainRun],
});
export const policiesSubject = defineSubject({
  name: "policies",
  shell: { policy: { about: "Check, test and compare policies" } },
  operations: [
    currentPolicy,
    explainCall,
    lintTenantPolicy,
    simulateTenantPolicy,
    policySchema,
    checkPolicy,
    testPolicy,
    readPlatformPolicy,
    policyVersions,
    diffPolicy,
    putPolicy,
    revertPolicy,
  ],
});
export const agentsSubject = defineSubject({
  name: "agents",
  shell: { agents: { about: "Manage agents: tools, features, settings" } },
  operations: [listAgents, getAgent, createAgent, updateAgent, applyAgents, agentBelongings, removeAgent],
});
export const enablementSubject = defineSubject({
  name: "enablement",
  operations: [listEnablement, setEnablement, listOverrides, setOverride, updateOverride, removeOverride],
});
