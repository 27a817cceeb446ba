export type { FoundTool, SearchRanking, ToolSearch } from "../catalogue/search/search-tools.ts";
export { loggedResult, withLoggedOutput } from "../gate/sealed/sealed-results.ts";
export { ownerName, sessionOwner } from "../gate/session-access.ts";
export { agentLimits } from "../operations/agent-limits.ts";
export { callResults } from "../operations/call-results.ts";
export {
  argumentsOf,
  membersOf,
  type OperateOptions,
  type Operation,
  type OperationContext,
  type OperationEffect,
  type OperationRoute,
} from "../operations/define-operation.ts";
export { commandWords, type Subject } from "../operations/define-subject.ts";
export { type DescribedAgent, describedAgent } from "../operations/described-agent.ts";
export type { Page } from "../operations/json-parts.ts";
export { type OperationName, type OperationTypes, operations, subjects } from "../operations/operations.ts";
export { adminEvents } from "../operations/record-operation.ts";
export { checkOperationInput, findOperation } from "../operations/run-operation.ts";
export { assumedMachine, endedUnasked, type FlippedCall, seesLengths, seesRedacted, toFlipped } from "../operations/simulate.ts";
export type { SurveyEntry, ToolSummary } from "../operations/tools.ts";
export { turnUsage } from "../operations/usage.ts";
