import { type Define, withCommon } from "../define.ts";

/** The command that coding agents run around their own tools. */
export function defineHooks(define: Define): void {
  withCommon(
    define(
      "hook <agent>",
      "Decide a call of a coding agent's own tool: claude-code, codex, gemini or cursor",
      async () => (await import("./hook.ts")).hook,
    ),
  ).addHelpText(
    "after",
    '\nReads the agent\'s event on stdin and answers in its format: allow, deny with the reason, or ask. Where a server runs on this state folder, the\nserver decides. Set it up with toolwright install <client> --hooks.\n\nExample:\n  echo \'{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/tmp","tool_name":"Bash","tool_input":{"command":"git push"}}\' | toolwright hook claude-code',
  );
}
