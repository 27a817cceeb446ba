import { approvalsSubject } from "./approvals.ts";
import { artifactsSubject } from "./artifacts.ts";
import { browsersSubject } from "./browsers.ts";
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
import { changesSubject } from "./changes.ts";
import type { Operation } from "./define-operation.ts";
import { defineSubject, operationsOf } from "./define-subject.ts";
import { machineSubject } from "./doctor.ts";
import { documentsSubject } from "./documents.ts";
import { logSubject } from "./events.ts";
import { grantsSubject } from "./grants.ts";
import { hooksSubject } from "./hooks.ts";
import { identitySubject } from "./identity.ts";
import { jobsSubject } from "./jobs.ts";
import { memoriesSubject } from "./memories.ts";
import { modelsSubject } from "./models.ts";
import { listOverrides, removeOverride, setOverride, updateOverride } from "./overrides.ts";
import { currentPolicy, diffPolicy, explainCall, lintTenantPolicy, policyVersions, putPolicy, revertPolicy } from "./policy.ts";
import { policySchema, readPlatformPolicy, testPolicy } from "./policy-authoring.ts";
import { principalsSubject } from "./principals.ts";
import { roomsSubject } from "./rooms.ts";
import { explainRun } from "./run-why.ts";
import { getRun, listRuns } from "./runs.ts";
import { schedulesSubject } from "./schedules.ts";
import { secretsSubject } from "./secrets.ts";
import { sessionsSubject } from "./sessions.ts";
import { simulateTenantPolicy } from "./simulate.ts";
import { skillsSubject } from "./skills.ts";
import { inspectTool, listTenantTools, putTenantTool, removeTenantTool, toolVersions } from "./tenant-tools.ts";
import { tenantsSubject } from "./tenants.ts";
import { getTool, listTools, searchTools, surveyTools, toolSchema } from "./tools.ts";
import { turnsSubject } from "./turns.ts";
import { usageSubject } from "./usage.ts";

const toolsSubject = defineSubject({
  name: "tools",
  shell: { tools: { about: "Manage who has which tools" } },
  operations: [listTools, searchTools, getTool, toolSchema, surveyTools],
});
const tenantToolsSubject = defineSubject({
  name: "tenantTools",
  operations: [inspectTool, listTenantTools, putTenantTool, removeTenantTool, toolVersions],
});
const runsSubject = defineSubject({
  name: "runs",
  shell: { runs: { about: "List and show calls, one record each" } },
  operations: [listRuns, getRun, explainRun],
});
const policiesSubject = defineSubject({
  name: "policies",
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
const agentsSubject = defineSubject({
  name: "agents",
  shell: { agents: { about: "Manage agents: tools, features, settings" } },
  operations: [listAgents, getAgent, createAgent, updateAgent, agentBelongings, removeAgent],
});
const enablementSubject = defineSubject({
  name: "enablement",
  operations: [listEnablement, setEnablement, listOverrides, setOverride, updateOverride, removeOverride],
});

/** Every subject. What is not in this list does not exist for any door. */
export const subjects = [
  ...[toolsSubject, tenantToolsSubject, approvalsSubject, grantsSubject, principalsSubject, runsSubject, usageSubject, sessionsSubject],
  ...[turnsSubject, roomsSubject, browsersSubject, memoriesSubject, documentsSubject, logSubject, changesSubject, artifactsSubject],
  ...[jobsSubject, schedulesSubject, hooksSubject, policiesSubject, agentsSubject, enablementSubject, skillsSubject, secretsSubject],
  ...[identitySubject, tenantsSubject, machineSubject, modelsSubject],
] as const;

/** Every operation, in the order of the subjects. */
export const operations = operationsOf(subjects);

type AnyOperation = (typeof operations)[number];

/** Name of an operation, such as `approvals.answer`. */
export type OperationName = AnyOperation["name"];

/** Inputs and outputs of the operations by name. */
export type OperationTypes = {
  readonly [Each in AnyOperation as Each["name"]]: Each extends Operation<string, infer Input, infer Output>
    ? { readonly input: Input; readonly output: Output }
    : never;
};
