import { searchContent, searchNames, toExec, toInput } from "../agent-calls.ts";
import { bringing, given, type HookAgent, type HookEvent, namedCall, type ToolMapping, textOf, toTool } from "../hook-agent.ts";

const edit = toTool("file_write", ({ file_path, path, target_notebook, ...rest }, { at }) => ({
  path: at(file_path ?? path ?? target_notebook),
  content: JSON.stringify(rest),
}));
const list = toTool("file_list", ({ target_directory, path }, { at }) => given({ path: at(target_directory ?? path) }));

/** Asks for commands and MCP tools; `preToolUse` and `beforeReadFile` know allow and deny alone. A hook that fails blocks where it has `failClosed`. */
export const cursor: HookAgent = {
  name: "cursor",
  title: "Cursor",
  source: { url: "https://cursor.com/docs/hooks.md", read: "2026-11-28" },
  session: "conversation_id",
  projectVariable: "CURSOR_PROJECT_DIR",
  events: new Map<string, HookEvent>([
    ["beforeShellExecution", { when: "before", asks: true, read: ({ command }) => ({ tool: "beforeShellExecution", input: { command } }) }],
    [
      "beforeMCPExecution",
      {
        when: "before",
        asks: true,
        read: ({ tool_name, tool_input }) => ({ tool: textOf(tool_name) === undefined ? "" : `mcp.${tool_name}`, input: tool_input }),
      },
    ],
    ["beforeReadFile", { when: "before", read: ({ file_path }) => ({ tool: "beforeReadFile", input: { file_path } }) }],
    ["preToolUse", { when: "before", read: namedCall }],
    ["postToolUse", { when: "after", read: namedCall, output: ({ tool_output }) => tool_output }],
    ["postToolUseFailure", { when: "after", read: namedCall, error: ({ error_message }) => textOf(error_message) ?? "The tool failed." }],
    [
      "afterShellExecution",
      { when: "after", read: ({ command }) => ({ tool: "beforeShellExecution", input: { command } }), output: ({ output }) => output },
    ],
  ]),
  tools: new Map<string, ToolMapping>([
    ["beforeShellExecution", ({ command }, { workdir }) => [toExec(command, workdir)]],
    ["WriteShellStdin", ({ chars, input, data }, { workdir }) => toInput(chars ?? input ?? data, workdir)],
    ["beforeReadFile", toTool("file_read", ({ file_path }, { at }) => ({ path: at(file_path) }))],
    [
      "Write",
      toTool("file_write", ({ file_path, path, content, contents }, { at }) => ({
        path: at(file_path ?? path),
        content: content ?? contents ?? "",
      })),
    ],
    ["Delete", toTool("file_delete", ({ file_path, path }, { at }) => ({ path: at(file_path ?? path) }))],
    ...["StrReplace", "Edit", "MultiEdit", "EditNotebook"].map((name) => [name, edit] as const),
    ["Grep", ({ pattern, path, glob }, paths) => [searchContent({ pattern, folder: path, glob }, paths)]],
    [
      "Glob",
      ({ glob_pattern, pattern, target_directory, path }, paths) =>
        searchNames({ pattern: glob_pattern ?? pattern, folder: target_directory ?? path }, paths),
    ],
    ...["LS", "ListDir"].map((name) => [name, list] as const),
    // Each has an event of its own, which can ask; the others reach nothing, or call tools that come here.
    ...["Shell", "Read", "Task", "TodoWrite", "CreatePlan", "AskQuestion", "ReadLints"].map((name) => [name, "pass"] as const),
    ...["WebSearch", "WebFetch", "SemSearch", "ListMcpResources", "FetchMcpResource"].map((name) => [name, "named"] as const),
  ]),
  serverPrefix: "mcp.",
  brings: bringing({ WebFetch: "web", WebSearch: "search" }),
  passPrefixes: ["MCP:"],
  write: (event, answer) => {
    if (event.startsWith("post") || event.startsWith("after")) return "{}";
    if (answer.effect === "allow") return JSON.stringify({ permission: "allow" });
    return JSON.stringify({ permission: answer.effect, user_message: answer.reason, agent_message: answer.reason });
  },
};
