/** One event of a coding agent, judged by hand in the project of `hook-project.ts`; `{root}` and `{project}` stand for its folders. */
export interface HookEventRow {
  readonly agent: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Default: the first that the agent has before a tool runs. */
  readonly event?: string;
  /** What the agent hears; `none` where its own rules go on. */
  readonly want: "allow" | "ask" | "deny" | "none";
}

const claude = (tool: string, input: object, want: HookEventRow["want"]) => ({ agent: "claude-code", tool, input: { ...input }, want });
/** It has no way to ask: what asks is denied, and what is allowed is left to its own rules. */
const codex = (tool: string, input: object, want: "none" | "deny") => ({ agent: "codex", tool, input: { ...input }, want });
const gemini = (tool: string, input: object, want: "allow" | "deny") => ({ agent: "gemini", tool, input: { ...input }, want });
const cursor = (tool: string, input: object, want: HookEventRow["want"], event = "preToolUse") => ({
  agent: "cursor",
  tool,
  input: { ...input },
  want,
  event,
});

export const hookEvents: readonly HookEventRow[] = [
  claude("Bash", { command: "cat README.md" }, "allow"),
  claude("Bash", { command: "cat notes.txt" }, "ask"),
  claude("Monitor", { command: "cat notes.txt", description: "d", persistent: false }, "ask"),
  claude("Monitor", { command: "rm -rf ~", description: "d" }, "deny"),
  claude("Monitor", { command: "git log --oneline -5" }, "allow"),
  claude("PowerShell", { command: "Get-Content notes.txt" }, "ask"),
  claude("PowerShell", { command: "ls" }, "ask"),
  claude("Read", { file_path: "{project}/README.md" }, "allow"),
  claude("Read", { file_path: "{project}/safe.txt" }, "ask"),
  claude("Read", { file_path: "{project}/notes.txt" }, "deny"),
  claude("Read", { file_path: "{project}/hard.txt" }, "ask"),
  claude("Glob", { pattern: "src/**/*.ts" }, "allow"),
  claude("Glob", { pattern: "/root/.ssh/*" }, "deny"),
  claude("Glob", { pattern: "../outside/*" }, "deny"),
  claude("Glob", { pattern: "src/../../outside/*" }, "deny"),
  claude("Glob", { pattern: "{src,/root/.ssh}/*" }, "deny"),
  claude("Glob", { pattern: "*/../../outside/*" }, "deny"),
  claude("Glob", { pattern: "~/.ssh/*" }, "deny"),
  claude("Glob", { pattern: "{project}/src/*.ts" }, "allow"),
  claude("Glob", { pattern: "*", path: "{project}/shared" }, "deny"),
  claude("Grep", { pattern: "port", path: "src" }, "allow"),
  claude("Grep", { pattern: "TOKEN" }, "ask"),
  claude("Grep", { pattern: "port", glob: "*.ts" }, "allow"),
  claude("Grep", { pattern: "TOKEN", glob: "*.env" }, "ask"),
  claude("BashOutput", { bash_id: "b1" }, "none"),
  claude("Terminal", { command: "ls" }, "ask"),
  codex("Bash", { command: "cat notes.txt" }, "deny"),
  codex("shell", { command: ["bash", "-lc", "cat notes.txt"] }, "deny"),
  codex("shell", { command: ["cat", "README.md"] }, "none"),
  codex("local_shell", { action: { type: "exec", command: ["cat", "safe.txt"] } }, "deny"),
  codex("exec_command", { cmd: "cat README.md" }, "none"),
  codex("exec_command", { cmd: "cat secret.txt", workdir: "shared" }, "deny"),
  codex("exec_command", { cmd: "ls", workdir: "{root}/outside" }, "deny"),
  codex("write_stdin", { session_id: 1, chars: "cat /etc/passwd\n" }, "deny"),
  codex("write_stdin", { session_id: 1, chars: "" }, "none"),
  codex("apply_patch", { command: "*** Begin Patch\n*** Update File: safe.txt\n@@\n-a\n+b\n*** End Patch" }, "deny"),
  codex("js_repl", { code: "1" }, "deny"),
  gemini("run_shell_command", { command: "cat secret.txt", directory: "shared" }, "deny"),
  gemini("run_shell_command", { command: "cat a.ts", dir_path: "src" }, "allow"),
  gemini("run_shell_command", { command: "ls", directory: "{root}/outside" }, "deny"),
  gemini("glob", { pattern: "/etc/*" }, "deny"),
  gemini("read_many_files", { include: ["src/**/*.ts"] }, "allow"),
  gemini("read_many_files", { include: ["../outside/*"] }, "deny"),
  gemini("read_many_files", { include: ["config/*"] }, "deny"),
  gemini("grep_search", { pattern: "TOKEN", no_ignore: true }, "deny"),
  cursor("beforeShellExecution", { command: "cat notes.txt" }, "ask", "beforeShellExecution"),
  cursor("beforeShellExecution", { command: "cat README.md" }, "allow", "beforeShellExecution"),
  cursor("beforeReadFile", { file_path: "{project}/safe.txt" }, "deny", "beforeReadFile"),
  cursor("Glob", { glob_pattern: "/root/.ssh/*" }, "deny"),
  cursor("StrReplace", { path: "{project}/safe.txt", old_string: "a", new_string: "b" }, "deny"),
  cursor("Grep", { pattern: "port", path: "src" }, "allow"),
  cursor("LaunchTerminal", { command: "ls" }, "deny"),
];
