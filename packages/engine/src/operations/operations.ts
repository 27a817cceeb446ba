import { answerApproval, explainApproval, getApproval, listApprovals, previewAnswer, proposeAnswer } from "./approvals.ts";
import { getArtifact, listArtifacts } from "./artifacts.ts";
import { closeBrowser, listBrowsers, viewBrowser } from "./browsers.ts";
import {
  agentBelongings,
  assignSkill,
  createAgent,
  createSkill,
  listAgents,
  listEnablement,
  listSkills,
  removeAgent,
  removeSkill,
  setEnablement,
  updateAgent,
  updateSkill,
} from "./catalogue.ts";
import { watchChanges } from "./changes.ts";
import type { Operation } from "./define-operation.ts";
import { examineMachine } from "./doctor.ts";
import {
  appendDocument,
  beginDocument,
  finishDocument,
  listDocuments,
  readDocument,
  removeDocument,
  searchDocuments,
  showDocument,
} from "./documents.ts";
import { listEvents, listHeads, verifyEvents } from "./events.ts";
import { createGrant, listGrants, revokeGrant } from "./grants.ts";
import { createHook, listHooks, removeHook } from "./hooks.ts";
import {
  createKey,
  inviteUser,
  listInvitations,
  listKeys,
  listRoles,
  listUsers,
  removeRole,
  removeUser,
  revokeKey,
  setRole,
  setUserRole,
} from "./identity.ts";
import { cancelJob, enqueueJob, getJob, listJobs, redriveJob, removeJob } from "./jobs.ts";
import { importMemories, listMemories, listMemoryOwners, removeMemory, saveMemory, showMemory } from "./memories.ts";
import { listModels, testModel } from "./models.ts";
import { listOverrides, removeOverride, setOverride, updateOverride } from "./overrides.ts";
import { currentPolicy, diffPolicy, explainCall, lintTenantPolicy, policyVersions, putPolicy, revertPolicy } from "./policy.ts";
import { policySchema, readPlatformPolicy, testPolicy } from "./policy-authoring.ts";
import { currentPrincipal } from "./principals.ts";
import { createRoom, getRoom, listRooms, postEvent, removeRoom, resolveEvent, updateRoom } from "./rooms.ts";
import { explainRun } from "./run-why.ts";
import { getRun, listRuns } from "./runs.ts";
import { createSchedule, listSchedules, pauseSchedule, removeSchedule } from "./schedules.ts";
import { listSecrets, removeSecret, setSecret } from "./secrets.ts";
import { createSession, getSession, listSessions, shareSession, unshareSession, updateSession } from "./sessions.ts";
import { simulateTenantPolicy } from "./simulate.ts";
import { listTenantTools, putTenantTool, removeTenantTool, toolVersions } from "./tenant-tools.ts";
import { createTenant, listTenants, resumeTenant, suspendTenant } from "./tenants.ts";
import { getTool, listTools, searchTools, surveyTools, toolSchema } from "./tools.ts";
import { cancelTurn, getTurn, listMessages, listTurns, watchTurn } from "./turns.ts";
import { getLimits, getModelUsage, getUsage } from "./usage.ts";

/** Every operation. What is not in this list does not exist for any door. */
export const operations = [
  ...[listTools, searchTools, getTool, toolSchema, surveyTools],
  ...[listTenantTools, putTenantTool, removeTenantTool, toolVersions],
  ...[listApprovals, getApproval, answerApproval, explainApproval, previewAnswer, proposeAnswer],
  ...[listGrants, createGrant, revokeGrant],
  ...[currentPrincipal, listRuns, getRun, explainRun, getUsage, getModelUsage, getLimits],
  ...[listSessions, getSession, createSession, updateSession, shareSession, unshareSession],
  ...[listTurns, getTurn, watchTurn, cancelTurn, listMessages],
  ...[listRooms, getRoom, createRoom, updateRoom, postEvent, resolveEvent, removeRoom],
  ...[listBrowsers, viewBrowser, closeBrowser],
  ...[listMemories, listMemoryOwners, showMemory, saveMemory, importMemories, removeMemory],
  ...[listDocuments, showDocument, beginDocument, appendDocument, finishDocument, readDocument, searchDocuments, removeDocument],
  ...[listEvents, listHeads, verifyEvents, watchChanges],
  ...[listArtifacts, getArtifact],
  ...[listJobs, getJob, enqueueJob, cancelJob, redriveJob, removeJob],
  ...[listSchedules, createSchedule, pauseSchedule, removeSchedule],
  ...[listHooks, createHook, removeHook],
  ...[currentPolicy, explainCall, lintTenantPolicy, simulateTenantPolicy],
  ...[policySchema, testPolicy, readPlatformPolicy],
  ...[policyVersions, diffPolicy, putPolicy, revertPolicy],
  ...[listAgents, createAgent, updateAgent, agentBelongings, removeAgent],
  ...[listEnablement, setEnablement],
  ...[listSkills, createSkill, updateSkill, removeSkill, assignSkill],
  ...[listOverrides, setOverride, updateOverride, removeOverride],
  ...[listSecrets, setSecret, removeSecret],
  ...[listUsers, inviteUser, listInvitations, setUserRole, removeUser],
  ...[listRoles, setRole, removeRole, listKeys, createKey, revokeKey],
  ...[listTenants, createTenant, suspendTenant, resumeTenant],
  ...[examineMachine, listModels, testModel],
] as const;

type AnyOperation = (typeof operations)[number];

/** Name of an operation, such as `approvals.answer`. */
export type OperationName = AnyOperation["name"];

/** Inputs and outputs of the operations by name. */
export type OperationTypes = {
  readonly [Each in AnyOperation as Each["name"]]: Each extends Operation<string, infer Input, infer Output>
    ? { readonly input: Input; readonly output: Output }
    : never;
};
