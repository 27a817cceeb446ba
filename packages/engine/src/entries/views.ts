export { agentsView, agentView, describeAgent } from "../operations/views/agents.ts";
export { describeDocument, documentView, passagesView, removedDocumentView } from "../operations/views/documents.ts";
export { headsView } from "../operations/views/events.ts";
export { grantsView } from "../operations/views/grants.ts";
export { hooksView, madeHookView } from "../operations/views/hooks.ts";
export {
  keyMadeView,
  keysView,
  roleSetView,
  rolesView,
  tenantsView,
  userRemovedView,
  userSetView,
  whoamiView,
} from "../operations/views/identity.ts";
export { jobCancelledView, jobRemovedView, jobsView, jobView, schedulesView, scheduleView } from "../operations/views/jobs.ts";
export { exportedMemoriesView, memoriesView, memoryView, removedMemoryView, savedMemoryView } from "../operations/views/memories.ts";
export { modelChecksView, modelsView } from "../operations/views/models.ts";
export { policyDiffView, policyVersionsView } from "../operations/views/policy.ts";
export { roomsView, roomView } from "../operations/views/rooms.ts";
export { runsView, runView, runWhyView } from "../operations/views/runs.ts";
export { secretRemovedView, secretsView } from "../operations/views/secrets.ts";
export { sessionsView, sharedView } from "../operations/views/sessions.ts";
export { changedSkillView, removedSkillView, skillsView, skillView } from "../operations/views/skills.ts";
export { enabledView, toolVersionsView } from "../operations/views/tools.ts";
export { cancelledTurnView, turnsView, turnView } from "../operations/views/turns.ts";
