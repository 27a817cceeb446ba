export { type AgentLimits, type AgentProfile, impliedAgent, usualLimits } from "./agent/agent-profile.ts";
export { type AgentRuns, type RunOutcome, type RunRequest, type RunsParts, turnIdOf } from "./agent-runs.ts";
export { agentsCapability } from "./capability.ts";
export { demoModels } from "./models/demo.ts";
export {
  createModelSource,
  type ModelProvider,
  type ModelSite,
  type ModelSource,
  type ModelSourceOptions,
  type OpenedModel,
} from "./models/model-source.ts";
export { type OpenAICompatibleOptions, openAICompatibleModels } from "./models/openai-compatible.ts";
export { type LostTurnsParts, resumeLostTurns } from "./resume-lost.ts";
export { agentTools } from "./tools/index.ts";
export type { ModelCall, OfferedTools, OfferTools } from "./turn/offer-tools.ts";
export type { TurnOutcome, TurnParts } from "./turn/turn-parts.ts";
