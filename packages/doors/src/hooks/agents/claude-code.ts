import { foreignLine, searchContent, searchNames, toExec } from "../agent-calls.ts";
import { bringing, given, type HookAgent, type HookEvent, namedCall, type ToolMapping, textOf, toTool } from "../hook-agent.ts";

/** Without a text to replace the file is made. */
const edit: ToolMapping = ({ file_path, old_string, new_string, replace_all }, { at }) => [
  old_string === ""
    ? { tool: "file_write", input: { path: at(file_path), content: new_string } }
    : { tool: "file_edit", input: given({ path: at(file_path), oldText: old_string, newText: new_string, replaceAll: replace_all }) },
];

/** Plans, lists of work and questions; sub-agents, whose own tools come here; and what reads and ends commands that came here before. */
const passing =
  `TodoWrite TaskCreate TaskGet TaskList TaskUpdate AskUserQuestion EnterPlanMode ExitPlanMode ToolSearch Task Agent BashOutput KillShell
  KillBash TaskOutput TaskStop`.split(/\s+/);
const byName =
  "WebSearch ListMcpResourcesTool ReadMcpResourceTool Skill SendMessage EnterWorktree ExitWorktree Artifact CronCreate CronDelete CronList".split(
    " ",
  );

/** Exit code 2 blocks; any other failure does not, unless the hook is installed with `onFailure: "block"` (2.1.295). */
export const claudeCode: HookAgent = {
  name: "claude-code",
  title: "Claude Code",
  source: { url: "https://code.claude.com/docs/en/hooks", read: "2026-11-28" },
  session: "session_id",
  projectVariable: "CLAUDE_PROJECT_DIR",
  events: new Map<string, HookEvent>([
    ["PreToolUse", { when: "before", asks: true, read: namedCall }],
    ["PostToolUse", { when: "after", read: namedCall, output: ({ tool_response }) => tool_response }],
    ["PostToolUseFailure", { when: "after", read: namedCall, error: ({ error }) => textOf(error) ?? "The tool failed." }],
  ]),
  tools: new Map<string, ToolMapping>([
    ["Bash", ({ command }, { workdir }) => [toExec(command, workdir)]],
    ["Monitor", ({ command }, { workdir }) => [toExec(command, workdir)]],
    ["PowerShell", ({ command }, { workdir }) => [toExec(foreignLine("pwsh -Command", command), workdir)]],
    ["Write", toTool("file_write", ({ file_path, content }, { at }) => ({ path: at(file_path), content }))],
    ["Edit", edit],
    ["MultiEdit", toTool("file_write", ({ file_path, edits }, { at }) => ({ path: at(file_path), content: JSON.stringify(edits ?? []) }))],
    [
      "NotebookEdit",
      toTool("file_write", ({ notebook_path, new_source }, { at }) => ({ path: at(notebook_path), content: new_source ?? "" })),
    ],
    ["Read", toTool("file_read", ({ file_path }, { at }) => ({ path: at(file_path) }))],
    ["NotebookRead", toTool("file_read", ({ notebook_path }, { at }) => ({ path: at(notebook_path) }))],
    ["LSP", toTool("file_read", ({ filePath }, { at }) => ({ path: at(filePath) }))],
    ["Glob", ({ pattern, path }, paths) => searchNames({ pattern, folder: path }, paths)],
    ["Grep", ({ pattern, path, glob }, paths) => [searchContent({ pattern, folder: path, glob }, paths)]],
    ["LS", toTool("file_list", ({ path }, { at }) => given({ path: at(path) }))],
    ["WebFetch", toTool("web_fetch", ({ url }) => ({ url }))],
    ...passing.map((name) => [name, "pass"] as const),
    ...byName.map((name) => [name, "named"] as const),
  ]),
  serverPrefix: "mcp__",
  brings: bringing({ WebFetch: "web", WebSearch: "search" }, "mcp__"),
  passPrefixes: ["mcp__toolwright__"],
  write: (event, answer) => {
    if (event !== "PreToolUse") return "{}";
    const reason = answer.effect === "allow" ? {} : { permissionDecisionReason: answer.reason };
    return JSON.stringify({ hookSpecificOutput: { hookEventName: event, permissionDecision: answer.effect, ...reason } });
  },
};
