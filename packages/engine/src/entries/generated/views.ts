// Made by `npm run generate`.

/** Loads the views of one subject. */
export const views = {
  accounts: () => import("../../operations/views/accounts.ts"),
  agents: () => import("../../operations/views/agents.ts"),
  applyAgents: () => import("../../operations/views/apply-agents.ts"),
  approvals: () => import("../../operations/views/approvals.ts"),
  documents: () => import("../../operations/views/documents.ts"),
  events: () => import("../../operations/views/events.ts"),
  grants: () => import("../../operations/views/grants.ts"),
  hooks: () => import("../../operations/views/hooks.ts"),
  identity: () => import("../../operations/views/identity.ts"),
  jobs: () => import("../../operations/views/jobs.ts"),
  machine: () => import("../../operations/views/machine.ts"),
  memories: () => import("../../operations/views/memories.ts"),
  models: () => import("../../operations/views/models.ts"),
  policy: () => import("../../operations/views/policy.ts"),
  rooms: () => import("../../operations/views/rooms.ts"),
  runs: () => import("../../operations/views/runs.ts"),
  secrets: () => import("../../operations/views/secrets.ts"),
  sessions: () => import("../../operations/views/sessions.ts"),
  skills: () => import("../../operations/views/skills.ts"),
  store: () => import("../../operations/views/store.ts"),
  toolSchemas: () => import("../../operations/views/tool-schemas.ts"),
  tools: () => import("../../operations/views/tools.ts"),
  turns: () => import("../../operations/views/turns.ts"),
  usage: () => import("../../operations/views/usage.ts"),
} as const;
