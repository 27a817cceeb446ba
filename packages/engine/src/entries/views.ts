export { agentsView, agentView, describeAgent } from "../operations/views/agents.ts";
export { grantsView } from "../operations/views/grants.ts";
export { policyDiffView, policyVersionsView } from "../operations/views/policy.ts";
export { roomsView, roomView } from "../operations/views/rooms.ts";
export { changedSkillView, removedSkillView, skillsView, skillView } from "../operations/views/skills.ts";
export { enabledView, toolVersionsView } from "../operations/views/tools.ts";
