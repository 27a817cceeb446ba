export type { FoundTool, SearchRanking, ToolSearch } from "../catalogue/search/search-tools.ts";
export type { OwnPermission } from "../contract/own-permissions.ts";
export { loggedResult, withLoggedOutput } from "../gate/sealed/sealed-results.ts";
export { maySeeSession, ownerName, requireSession, sessionOwner } from "../gate/session-access.ts";
export { agentLimits } from "../operations/agent-limits.ts";
export {
  defineOperation,
  membersOf,
  type OperateOptions,
  type Operation,
  type OperationContext,
  type OperationEffect,
  type OperationEntry,
  type OperationRoute,
} from "../operations/define-operation.ts";
export { defineSubject, type Loop, type Permission, type Subject, type SubjectIndex } from "../operations/define-subject.ts";
export { type DescribedAgent, describedAgent } from "../operations/described-agent.ts";
export type { LoopName } from "../operations/generated/subject-index.ts";
export { joinSubjects, type Subjects } from "../operations/join-subjects.ts";
export { listOf, type Page, time } from "../operations/json-parts.ts";
export type { OperationName, OperationTypes } from "../operations/operation-types.ts";
export { adminEvents } from "../operations/record-operation.ts";
export { checkOperationInput } from "../operations/run-operation.ts";
export type { SurveyEntry, ToolSummary } from "../operations/tools.ts";
export { turnUsage } from "../operations/turn-usage.ts";
export { definePort, type Port } from "../ports/define-port.ts";
