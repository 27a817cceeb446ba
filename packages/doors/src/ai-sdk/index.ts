export { answersFor } from "./answers-for.ts";
export type { ToolCost } from "./load-tools.ts";
export type { DoorTool, MakeCall, ModelCall } from "./make-tool.ts";
export { type ResultFiles, toModelOutput } from "./model-output.ts";
export type { RunningCall, ToolOutput } from "./stream-call.ts";
export { type AISDKDoor, type AISDKOptions, toAISDK } from "./to-ai-sdk.ts";
