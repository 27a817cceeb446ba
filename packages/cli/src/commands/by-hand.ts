/** Why each of these commands is written by hand: it is more than one operation whose answer is shown. */
export const byHand: Readonly<Record<string, string>> = {
  ...sameReason("It keeps a process running.", "serve", "mcp", "worker"),
  ...sameReason("It talks with a person.", "chat", "turns retry"),
  ...sameReason("It calls a tool, whose fields are read when they are known.", "call"),
  ...sameReason("It changes files of this machine that other programs read.", "install", "uninstall", "token", "trust", "new tool"),
  ...sameReason("It answers before anything else is loaded.", "hook"),
  ...sameReason("It works on tools or policies in files of this machine.", "test", "policy lint", "policy simulate"),
  ...sameReason("It brings a store to this version, or copies it from or to a file as large.", "db migrate", "db backup", "db restore"),
  ...sameReason("It may take hours, says meanwhile what it makes, and is stopped by a key.", "db vectors"),
  ...sameReason("It reads or writes a file that grows with the log.", "log export", "log verify", "log anchor"),
  ...sameReason("It runs a call, and tells of it while it runs.", "approvals approve"),
  ...sameReason("It reads or writes a file in many operations.", "knowledge add", "knowledge import"),
};

function sameReason(reason: string, ...commands: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(commands.map((command) => [command, reason]));
}
