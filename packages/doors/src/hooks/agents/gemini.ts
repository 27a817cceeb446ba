import { bringing, given, type HookAgent, type HookEvent, isMembers, namedCall, type ToolMapping, textOf, toTool } from "../hook-agent.ts";

const search = (type: "glob" | "grep") =>
  toTool("file_search", ({ pattern, dir_path, path }, { at }) => given({ type, pattern, path: at(dir_path ?? path) }));

/** Knows allow and deny. Exit code 2 blocks; any other failure is a warning, and the call goes on. */
export const gemini: HookAgent = {
  name: "gemini",
  title: "Gemini CLI",
  source: { url: "https://geminicli.com/docs/hooks/reference.md", read: "2026-11-24" },
  session: "session_id",
  projectVariable: "GEMINI_PROJECT_DIR",
  events: new Map<string, HookEvent>([
    ["BeforeTool", { when: "before", read: namedCall }],
    [
      "AfterTool",
      {
        when: "after",
        read: namedCall,
        output: ({ tool_response }) => tool_response,
        error: ({ tool_response }) =>
          isMembers(tool_response) && tool_response.error ? (textOf(tool_response.error) ?? "The tool failed.") : undefined,
      },
    ],
  ]),
  tools: new Map<string, ToolMapping>([
    ["run_shell_command", toTool("exec", ({ command, dir_path }, { workdir, at }) => given({ command, workdir: at(dir_path) ?? workdir }))],
    ["write_file", toTool("file_write", ({ file_path, content }, { at }) => ({ path: at(file_path), content }))],
    [
      "replace",
      ({ file_path, old_string, new_string }, { at }) => [
        old_string === ""
          ? { tool: "file_write", input: { path: at(file_path), content: new_string } }
          : { tool: "file_edit", input: { path: at(file_path), oldText: old_string, newText: new_string } },
      ],
    ],
    ["read_file", toTool("file_read", ({ file_path, absolute_path }, { at }) => ({ path: at(file_path ?? absolute_path) }))],
    ["glob", search("glob")],
    ["grep_search", search("grep")],
    ["search_file_content", search("grep")],
    ["list_directory", toTool("file_list", ({ dir_path, path }, { at }) => given({ path: at(dir_path ?? path) }))],
    ...["write_todos", "ask_user", "enter_plan_mode", "exit_plan_mode"].map((name) => [name, "pass"] as const),
  ]),
  brings: bringing({ web_fetch: "web", google_web_search: "search" }, "mcp_"),
  passPrefixes: ["mcp_toolwright_", "mcp__toolwright__"],
  write: (event, answer) => {
    if (event !== "BeforeTool") return "{}";
    return JSON.stringify(answer.effect === "allow" ? { decision: "allow" } : { decision: "deny", reason: answer.reason });
  },
};
