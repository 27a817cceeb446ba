export { answerHook, type HookParts, type HookQuestion, refuseHook } from "./answer-hook.ts";
export type { HookAgent } from "./hook-agent.ts";
