import { join } from "node:path";
import { isMembers, type Members } from "./config-format.ts";
import type { ClientEnvironment, ClientScope } from "./mcp-clients.ts";

/** Where an agent keeps its hooks, and how one of ours is written there. */
export interface ClientHooks {
  /** As `toolwright hook` calls it. */
  readonly agent: string;
  file(scope: ClientScope, place: ClientEnvironment): string;
  /** What a file of its own begins with. */
  readonly empty: Members;
  readonly events: readonly string[];
  entry(command: string): Members;
  /** What its person does before the hooks count. */
  readonly note?: string;
}

/** Seconds; a decision takes a fraction of one. */
const seconds = 30;

const grouped = (handler: Members) => (command: string) => ({ matcher: "*", hooks: [{ type: "command", command, ...handler }] });

const claude: ClientHooks = {
  agent: "claude-code",
  file: (scope, { home, cwd, env }) =>
    scope === "user" ? join(env("CLAUDE_CONFIG_DIR") ?? join(home, ".claude"), "settings.json") : join(cwd, ".claude", "settings.json"),
  empty: {},
  events: ["PreToolUse", "PostToolUse", "PostToolUseFailure"],
  entry: grouped({ timeout: seconds, onFailure: "block" }),
};

const codex: ClientHooks = {
  agent: "codex",
  file: (scope, { home, cwd, env }) =>
    join(scope === "user" ? (env("CODEX_HOME") ?? join(home, ".codex")) : join(cwd, ".codex"), "hooks.json"),
  empty: {},
  events: ["PreToolUse", "PostToolUse"],
  entry: grouped({ timeout: seconds }),
  note: "Codex runs a hook once you have trusted it: in Codex, /hooks.",
};

const gemini: ClientHooks = {
  agent: "gemini",
  file: (scope, { home, cwd, env }) => join(scope === "user" ? (env("GEMINI_CLI_HOME") ?? home) : cwd, ".gemini", "settings.json"),
  empty: {},
  events: ["BeforeTool", "AfterTool"],
  entry: grouped({ name: "toolwright", timeout: seconds * 1000 }),
};

const cursor: ClientHooks = {
  agent: "cursor",
  file: (scope, { home, cwd }) => join(scope === "user" ? home : cwd, ".cursor", "hooks.json"),
  empty: { version: 1 },
  events: [
    ...["beforeShellExecution", "beforeMCPExecution", "beforeReadFile", "preToolUse"],
    ...["afterShellExecution", "postToolUse", "postToolUseFailure"],
  ],
  entry: (command) => ({ command, timeout: seconds, failClosed: true }),
};

/** By the names of `toolwright install`. */
export const clientHooks: ReadonlyMap<string, ClientHooks> = new Map(Object.entries({ claude, codex, gemini, cursor }));

/** The list of one event with ours as its last member, or without it. What others put there stays. */
export function withOurs(list: unknown, agent: string, ours: Members | undefined): readonly unknown[] {
  const others = (Array.isArray(list) ? list : []).filter((each) => !isOurs(each, agent));
  return ours === undefined ? others : [...others, ours];
}

function isOurs(entry: unknown, agent: string): boolean {
  if (!isMembers(entry)) return false;
  if (Array.isArray(entry.hooks)) return entry.hooks.length > 0 && entry.hooks.every((each) => isOurs(each, agent));
  return (
    typeof entry.command === "string" && entry.command.includes("toolwright") && new RegExp(` hook ${agent}(?: |$)`).test(entry.command)
  );
}
