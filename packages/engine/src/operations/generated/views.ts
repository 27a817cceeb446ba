// Made by `npm run generate`.

/** Loads the views of one subject. */
export const engineViews = {
  accounts: () => import("../views/accounts.ts"),
  agents: () => import("../views/agents.ts"),
  applyAgents: () => import("../views/apply-agents.ts"),
  approvals: () => import("../views/approvals.ts"),
  documents: () => import("../views/documents.ts"),
  events: () => import("../views/events.ts"),
  grants: () => import("../views/grants.ts"),
  hooks: () => import("../views/hooks.ts"),
  identity: () => import("../views/identity.ts"),
  jobs: () => import("../views/jobs.ts"),
  machine: () => import("../views/machine.ts"),
  memories: () => import("../views/memories.ts"),
  policy: () => import("../views/policy.ts"),
  rooms: () => import("../views/rooms.ts"),
  runs: () => import("../views/runs.ts"),
  secrets: () => import("../views/secrets.ts"),
  sessions: () => import("../views/sessions.ts"),
  skills: () => import("../views/skills.ts"),
  store: () => import("../views/store.ts"),
  toolSchemas: () => import("../views/tool-schemas.ts"),
  toolSync: () => import("../views/tool-sync.ts"),
  tools: () => import("../views/tools.ts"),
  turns: () => import("../views/turns.ts"),
  usage: () => import("../views/usage.ts"),
} as const;
