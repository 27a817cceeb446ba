import {
  bringing,
  given,
  type HookAgent,
  type HookEvent,
  type Members,
  namedCall,
  type OurCall,
  type PathWords,
  type ToolMapping,
  toTool,
} from "../hook-agent.ts";

const patched = /^\*\*\* (?:(Delete) File|(?:Add|Update) File|Move to): (.+)$/gm;

/** A patch names each file that it touches on a line of its own. */
function filesOf(patch: unknown, { at }: PathWords): readonly OurCall[] {
  const text = typeof patch === "string" ? patch : "";
  const calls = [...text.matchAll(patched)].map(([, isDelete, path]) =>
    isDelete
      ? { tool: "file_delete", input: { path: at(path?.trim()) } }
      : { tool: "file_write", input: { path: at(path?.trim()), content: text } },
  );
  // A patch that names no file fits no tool of ours, and so is denied.
  return calls.length > 0 ? calls : [{ tool: "file_write", input: {} }];
}

const applyPatch: ToolMapping = ({ command, input, patch }: Members, paths) => filesOf(command ?? input ?? patch, paths);

/** `allow` without a rewritten input and `ask` are refused as invalid and the call goes on, so neither is ever written. */
export const codex: HookAgent = {
  name: "codex",
  title: "Codex",
  source: { url: "https://github.com/openai/codex/blob/main/codex-rs/hooks/src/events/pre_tool_use.rs", read: "2026-11-24" },
  session: "session_id",
  events: new Map<string, HookEvent>([
    ["PreToolUse", { when: "before", read: namedCall }],
    ["PostToolUse", { when: "after", read: namedCall, output: ({ tool_response }) => tool_response }],
  ]),
  tools: new Map<string, ToolMapping>([
    ["Bash", toTool("exec", ({ command }, { workdir }) => given({ command, workdir }))],
    ["apply_patch", applyPatch],
    ["update_plan", "pass"],
  ]),
  brings: bringing({ web_search: "search" }, "mcp__"),
  passPrefixes: ["mcp__toolwright__"],
  write: (event, answer) =>
    event !== "PreToolUse" || answer.effect === "allow"
      ? ""
      : JSON.stringify({
          hookSpecificOutput: { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: answer.reason },
        }),
};
