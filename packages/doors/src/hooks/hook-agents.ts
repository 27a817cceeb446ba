import { claudeCode } from "./agents/claude-code.ts";
import { codex } from "./agents/codex.ts";
import { cursor } from "./agents/cursor.ts";
import { gemini } from "./agents/gemini.ts";
import type { HookAgent } from "./hook-agent.ts";

export type { HookAgent } from "./hook-agent.ts";

/** The coding agents whose hooks toolwright answers, by name. */
export const hookAgents: ReadonlyMap<string, HookAgent> = new Map([claudeCode, codex, gemini, cursor].map((agent) => [agent.name, agent]));
