export { type AgentProfile, type AgentSource, type TurnLimits, usualLimits } from "./agent/agent-profile.ts";
export type { AgentSkills } from "./agent/agent-skills.ts";
export type { AgentUsage, UsageSince, UsageWanted } from "./agent/agent-usage.ts";
export { firstLine } from "./agent/write-prompt.ts";
export type { AgentRuns, RunOutcome, RunRequest } from "./agent-runs.ts";
export type { AgentTask, AgentTasks } from "./agent-tasks.ts";
export { agentsCapability } from "./capability.ts";
export type { MessageTemplate, OutboundMessage, ReceivedWebhook } from "./channels/channel.ts";
export { hookChannels } from "./channels/index.ts";
export { type DeliverOutbound, type OutboundParts, outboundCapability, type SendOutbound } from "./channels/outbound-capability.ts";
export { outboundTools } from "./channels/tools/index.ts";
export type { KeyOwner, ListedProvider, ModelCheck, ModelInspector, ProviderNeed } from "./contract/model-inspector.ts";
export type { RunEars, RunsParts } from "./go-on.ts";
export { confirmHook, type HookCall, type HookParts, type VerifiedWebhook, verifyWebhook } from "./hooks/verify-webhook.ts";
export { type ModelParts, modelCapability } from "./model-capability.ts";
export { anthropicModels } from "./models/anthropic.ts";
export { type BedrockOptions, bedrockModels } from "./models/bedrock.ts";
export { costOf } from "./models/cost.ts";
export { demoModels } from "./models/demo.ts";
export { type InspectOptions, inspectModels } from "./models/inspect-models.ts";
export type { FailureWords, ModelFailure } from "./models/model-failure.ts";
export { type ModelKeys, type ModelKeysOptions, modelKeys } from "./models/model-keys.ts";
export {
  createModelSource,
  type ModelNeed,
  type ModelProvider,
  type ModelSite,
  type ModelSource,
  type ModelSourceOptions,
  type OpenedModel,
} from "./models/model-source.ts";
export { type HostedModelsOptions, openAIModels } from "./models/openai.ts";
export { type ModelServer, type OpenAICompatibleOptions, type OwnServers, openAICompatibleModels } from "./models/openai-compatible.ts";
export { testModel } from "./models/test-model.ts";
export { type BeginningCall, findOwnTurn, type OwnTurn, turnIdOf } from "./own-turn.ts";
export { type LostTurnsParts, resumeLostTurns, startResuming } from "./resume-lost.ts";
export { type RoomPosts, type RoomsParts, type RoomWork, roomsCapability } from "./rooms/rooms-capability.ts";
export { startRooms, type WorkRoomsParts, workRoom } from "./rooms/work-rooms.ts";
export { RunningTurns } from "./running-turns.ts";
export {
  type ReadSchedules,
  type ScheduledMessage,
  type SchedulesParts,
  schedulesCapability,
  type WriteSchedules,
} from "./schedules/schedules-capability.ts";
export { scheduleTools } from "./schedules/tools/index.ts";
export type { Standing } from "./standing.ts";
export type { SpawnOutcome, SpawnRequest } from "./sub-agents.ts";
export { agentTool } from "./tools/agent-tool.ts";
export { agentTools } from "./tools/index.ts";
export { roomTools } from "./tools/rooms/index.ts";
export { Leaving } from "./turn/leaving.ts";
export type { ModelCall, OfferedTools, OfferTools } from "./turn/offer-tools.ts";
export type { TurnOutcome, TurnParts } from "./turn/turn-parts.ts";
