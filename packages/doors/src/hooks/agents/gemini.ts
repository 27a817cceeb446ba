import { readMatches, searchContent, searchNames, toExec } from "../agent-calls.ts";
import { bringing, given, type HookAgent, type HookEvent, isMembers, namedCall, type ToolMapping, textOf, toTool } from "../hook-agent.ts";

const search: ToolMapping = ({ pattern, dir_path, path, include_pattern, include, no_ignore }, paths) => [
  searchContent({ pattern, folder: dir_path ?? path, glob: include_pattern ?? include ?? (no_ignore === true ? "*" : undefined) }, paths),
];

/** Reads all files that its patterns stand for. */
const readMany: ToolMapping = ({ include, paths: listed }, paths) => {
  const patterns: readonly unknown[] = [include, listed].flatMap((each) => each ?? []);
  return patterns.length === 0
    ? [{ tool: "file_read", input: {} }]
    : patterns.flatMap((pattern) => readMatches({ pattern, folder: undefined }, paths));
};

/** Knows allow and deny. Exit code 2 blocks; any other failure is a warning, and the call goes on. */
export const gemini: HookAgent = {
  name: "gemini",
  title: "Gemini CLI",
  source: { url: "https://geminicli.com/docs/hooks/reference.md", read: "2026-11-28" },
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
    // The vendor's pages call its folder `dir_path` and `directory`.
    ["run_shell_command", ({ command, dir_path, directory }, { workdir, at }) => [toExec(command, at(dir_path ?? directory) ?? workdir)]],
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
    ["read_many_files", readMany],
    ["glob", ({ pattern, dir_path, path }, paths) => searchNames({ pattern, folder: dir_path ?? path }, paths)],
    ["grep_search", search],
    ["search_file_content", search],
    ["list_directory", toTool("file_list", ({ dir_path, path }, { at }) => given({ path: at(dir_path ?? path) }))],
    ...["write_todos", "ask_user", "enter_plan_mode", "exit_plan_mode", "get_internal_docs", "update_topic"].map(
      (name) => [name, "pass"] as const,
    ),
    ...["web_fetch", "google_web_search", "save_memory", "activate_skill"].map((name) => [name, "named"] as const),
  ]),
  serverPrefix: "mcp_",
  brings: bringing({ web_fetch: "web", google_web_search: "search" }, "mcp_"),
  passPrefixes: ["mcp_toolwright_", "mcp__toolwright__"],
  write: (event, answer) => {
    if (event !== "BeforeTool") return "{}";
    return JSON.stringify(answer.effect === "allow" ? { decision: "allow" } : { decision: "deny", reason: answer.reason });
  },
};
