import { bringing, given, type HookAgent, type HookEvent, namedCall, type ToolMapping, textOf, toTool } from "../hook-agent.ts";

/** Without a text to replace the file is made. */
const edit: ToolMapping = ({ file_path, old_string, new_string, replace_all }, { at }) => [
  old_string === ""
    ? { tool: "file_write", input: { path: at(file_path), content: new_string } }
    : { tool: "file_edit", input: given({ path: at(file_path), oldText: old_string, newText: new_string, replaceAll: replace_all }) },
];

/** Exit code 2 blocks; any other failure does not, unless the hook is installed with `onFailure: "block"` (2.1.295). */
export const claudeCode: HookAgent = {
  name: "claude-code",
  title: "Claude Code",
  source: { url: "https://code.claude.com/docs/en/hooks", read: "2026-11-24" },
  session: "session_id",
  projectVariable: "CLAUDE_PROJECT_DIR",
  events: new Map<string, HookEvent>([
    ["PreToolUse", { when: "before", asks: true, read: namedCall }],
    ["PostToolUse", { when: "after", read: namedCall, output: ({ tool_response }) => tool_response }],
    ["PostToolUseFailure", { when: "after", read: namedCall, error: ({ error }) => textOf(error) ?? "The tool failed." }],
  ]),
  tools: new Map<string, ToolMapping>([
    ["Bash", toTool("exec", ({ command }, { workdir }) => given({ command, workdir }))],
    ["Write", toTool("file_write", ({ file_path, content }, { at }) => ({ path: at(file_path), content }))],
    ["Edit", edit],
    ["MultiEdit", toTool("file_write", ({ file_path, edits }, { at }) => ({ path: at(file_path), content: JSON.stringify(edits ?? []) }))],
    [
      "NotebookEdit",
      toTool("file_write", ({ notebook_path, new_source }, { at }) => ({ path: at(notebook_path), content: new_source ?? "" })),
    ],
    ["Read", toTool("file_read", ({ file_path }, { at }) => ({ path: at(file_path) }))],
    ["Glob", toTool("file_search", ({ pattern, path }, { at }) => given({ type: "glob", pattern, path: at(path) }))],
    ["Grep", toTool("file_search", ({ pattern, path }, { at }) => given({ type: "grep", pattern, path: at(path) }))],
    ["LS", toTool("file_list", ({ path }, { at }) => given({ path: at(path) }))],
    ["WebFetch", toTool("web_fetch", ({ url }) => ({ url }))],
    ...["TodoWrite", "AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ToolSearch"].map((name) => [name, "pass"] as const),
  ]),
  brings: bringing({ WebFetch: "web", WebSearch: "search" }, "mcp__"),
  passPrefixes: ["mcp__toolwright__"],
  write: (event, answer) => {
    if (event !== "PreToolUse") return "{}";
    const reason = answer.effect === "allow" ? {} : { permissionDecisionReason: answer.reason };
    return JSON.stringify({ hookSpecificOutput: { hookEventName: event, permissionDecision: answer.effect, ...reason } });
  },
};
