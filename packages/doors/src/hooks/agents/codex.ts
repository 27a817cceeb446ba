import { foreignLine, lineOf, searchContent, toExec, toInput } from "../agent-calls.ts";
import {
  bringing,
  given,
  type HookAgent,
  type HookEvent,
  type Members,
  membersOf,
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

/** Its hooks call most of them `Bash`; the names of the tools themselves are answered too. */
const shells = ["Bash", "shell", "shell_command", "local_shell", "exec_command", "unified_exec", "container.exec"];
const passing = "update_plan request_user_input spawn_agent send_input wait wait_agent close_agent resume_agent".split(" ");

/** The line stands in `command` or `cmd`, as a text or as the words of a program; its folder beside it. */
const runLine: ToolMapping = ({ command, cmd, input, action, workdir: named, shell }, { at, workdir }) => {
  const given = membersOf(action);
  const line = lineOf(command ?? cmd ?? input ?? given.command);
  const folder = named ?? given.working_directory;
  const isForeign = typeof shell === "string" && !/(?:^|\/)(?:ba|z)?sh$/.test(shell);
  return [toExec(isForeign ? foreignLine("pwsh -Command", line) : line, folder == null ? workdir : at(folder))];
};

/** `allow` without a rewritten input and `ask` are refused as invalid and the call goes on, so neither is ever written. */
export const codex: HookAgent = {
  name: "codex",
  title: "Codex",
  source: {
    url: "https://github.com/openai/codex/blob/main/codex-rs/hooks/src/events/pre_tool_use.rs",
    read: "2026-11-28",
  },
  session: "session_id",
  events: new Map<string, HookEvent>([
    ["PreToolUse", { when: "before", read: namedCall }],
    ["PostToolUse", { when: "after", read: namedCall, output: ({ tool_response }) => tool_response }],
  ]),
  tools: new Map<string, ToolMapping>([
    ...shells.map((name) => [name, runLine] as const),
    ["write_stdin", ({ chars, input }, { workdir }) => toInput(chars ?? input, workdir)],
    ["apply_patch", applyPatch],
    ["view_image", toTool("file_read", ({ path }, { at }) => ({ path: at(path) }))],
    ["read_file", toTool("file_read", ({ file_path }, { at }) => ({ path: at(file_path) }))],
    ["list_dir", toTool("file_list", ({ dir_path }, { at }) => given({ path: at(dir_path) }))],
    ["grep_files", ({ pattern, path, include }, paths) => [searchContent({ pattern, folder: path, glob: include }, paths)]],
    ...passing.map((name) => [name, "pass"] as const),
    ["web_search", "named"],
  ]),
  serverPrefix: "mcp__",
  brings: bringing({ web_search: "search" }, "mcp__"),
  passPrefixes: ["mcp__toolwright__"],
  write: (event, answer) =>
    event !== "PreToolUse" || answer.effect === "allow"
      ? ""
      : JSON.stringify({
          hookSpecificOutput: { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: answer.reason },
        }),
};
