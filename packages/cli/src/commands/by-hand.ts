/** Why each of these commands is written by hand: it is more than one operation whose answer is shown. */
export const byHand: Readonly<Record<string, string>> = {
  ...sameReason("It keeps a process running.", "serve", "mcp", "worker", "log follow"),
  ...sameReason("It talks with a person, or reads what nobody may see.", "chat", "turns retry", "secrets set"),
  ...sameReason("It calls a tool, whose fields are read when they are known.", "call", "why", "schema", "list", "artifact"),
  ...sameReason("It changes files of this machine that other programs read.", "install", "uninstall", "token", "trust", "new tool"),
  ...sameReason("It answers before anything else is loaded.", "hook"),
  ...sameReason("It works on tools or policies in files of this machine.", "test", "tools sync", "policy lint"),
  ...sameReason("It works on tools or policies in files of this machine.", "policy simulate", "policy export"),
  ...sameReason(
    "It works on the store as a whole, below all tenants.",
    "db status",
    "db verify",
    "db backup",
    "db restore",
    "db migrate",
    "db tidy",
    "db vectors",
  ),
  ...sameReason(
    "It works on the store as a whole, below all tenants.",
    "secrets rotate",
    "secrets check",
    "log prune",
    "log export",
    "log verify",
    "log anchor",
  ),
  ...sameReason(
    "Accounts of people belong to no tenant, and have no operations.",
    "users reset-password",
    "users sessions",
    "users sign-out",
  ),
  ...sameReason("It runs a call, and tells of it while it runs.", "approvals approve", "approvals run"),
  ...sameReason("It reads or writes a file in many operations.", "memory import", "knowledge add", "knowledge export", "knowledge import"),
  ...sameReason("It reads words or a file in a form of its own.", "jobs run", "schedule add", "tools add"),
};

function sameReason(reason: string, ...commands: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(commands.map((command) => [command, reason]));
}
