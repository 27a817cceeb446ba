export type { FoundTool, SearchRanking, ToolSearch } from "../catalogue/search/search-tools.ts";
export type { OwnPermission } from "../contract/own-permissions.ts";
export { loggedResult, withLoggedOutput } from "../gate/sealed/sealed-results.ts";
export { ownerName, sessionOwner } from "../gate/session-access.ts";
export { agentLimits } from "../operations/agent-limits.ts";
export {
  membersOf,
  type OperateOptions,
  type Operation,
  type OperationContext,
  type OperationEffect,
  type OperationEntry,
  type OperationRoute,
} from "../operations/define-operation.ts";
export type { Loop, Permission, Subject } from "../operations/define-subject.ts";
export { type DescribedAgent, describedAgent } from "../operations/described-agent.ts";
export { type LoopName, loops, operationIndex } from "../operations/generated/operation-index.ts";
export type { Page } from "../operations/json-parts.ts";
export { findOperation, loadOperation } from "../operations/load-operation.ts";
export type { OperationName, OperationTypes } from "../operations/operations.ts";
export { adminEvents } from "../operations/record-operation.ts";
export { checkOperationInput } from "../operations/run-operation.ts";
export type { SurveyEntry, ToolSummary } from "../operations/tools.ts";
export { turnUsage } from "../operations/turn-usage.ts";
export type { Port } from "../ports/define-port.ts";
