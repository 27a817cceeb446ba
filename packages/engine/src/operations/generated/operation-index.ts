// Made by `npm run generate` from the operations.
import type { OperationEntry } from "../define-operation.ts";
import type { Subject } from "../define-subject.ts";

type Name =
  | "accounts"
  | "agents"
  | "approvals"
  | "artifacts"
  | "browsers"
  | "changes"
  | "documents"
  | "enablement"
  | "grants"
  | "hooks"
  | "identity"
  | "jobs"
  | "log"
  | "machine"
  | "memories"
  | "models"
  | "policies"
  | "principals"
  | "rooms"
  | "runs"
  | "schedules"
  | "secrets"
  | "sessions"
  | "skills"
  | "store"
  | "tenantTools"
  | "tenants"
  | "tools"
  | "turns"
  | "usage";

/** Load a subject with the schemas of its operations. */
export const subjectLoaders: { readonly [Each in Name]: () => Promise<Subject> } = {
  accounts: async () => (await import("../accounts.ts")).accountsSubject,
  agents: async () => (await import("../apply-agents.ts")).agentsSubject,
  approvals: async () => (await import("../approvals.ts")).approvalsSubject,
  artifacts: async () => (await import("../artifacts.ts")).artifactsSubject,
  browsers: async () => (await import("../browsers.ts")).browsersSubject,
  changes: async () => (await import("../changes.ts")).changesSubject,
  documents: async () => (await import("../documents.ts")).documentsSubject,
  enablement: async () => (await import("../enablement.ts")).enablementSubject,
  grants: async () => (await import("../grants.ts")).grantsSubject,
  hooks: async () => (await import("../hooks.ts")).hooksSubject,
  identity: async () => (await import("../identity.ts")).identitySubject,
  jobs: async () => (await import("../jobs.ts")).jobsSubject,
  log: async () => (await import("../events.ts")).logSubject,
  machine: async () => (await import("../doctor.ts")).machineSubject,
  memories: async () => (await import("../memories.ts")).memoriesSubject,
  models: async () => (await import("../models.ts")).modelsSubject,
  policies: async () => (await import("../policies.ts")).policiesSubject,
  principals: async () => (await import("../principals.ts")).principalsSubject,
  rooms: async () => (await import("../rooms.ts")).roomsSubject,
  runs: async () => (await import("../run-why.ts")).runsSubject,
  schedules: async () => (await import("../schedules.ts")).schedulesSubject,
  secrets: async () => (await import("../secrets.ts")).secretsSubject,
  sessions: async () => (await import("../sessions.ts")).sessionsSubject,
  skills: async () => (await import("../skills.ts")).skillsSubject,
  store: async () => (await import("../store.ts")).storeSubject,
  tenantTools: async () => (await import("../tenant-tools.ts")).tenantToolsSubject,
  tenants: async () => (await import("../tenants.ts")).tenantsSubject,
  tools: async () => (await import("../tools.ts")).toolsSubject,
  turns: async () => (await import("../turns.ts")).turnsSubject,
  usage: async () => (await import("../usage.ts")).usageSubject,
};

/** Subjects by the ports of their stores. */
export const portOwners: Readonly<Record<string, Name>> = {
  accounts: "accounts",
  agentFiles: "agents",
  browsers: "browsers",
  knowledge: "documents",
  catalogue: "enablement",
  hooks: "hooks",
  channels: "hooks",
  identity: "identity",
  jobs: "jobs",
  log: "log",
  machine: "machine",
  memories: "memories",
  models: "models",
  policySource: "policies",
  rooms: "rooms",
  runs: "runs",
  schedules: "schedules",
  secrets: "secrets",
  masterKeys: "secrets",
  store: "store",
  retention: "store",
  tenants: "tenants",
  toolSync: "tools",
  turns: "turns",
  turnStream: "turns",
  usage: "usage",
  limits: "usage",
};

/** What goes on beside requests in processes that stay, by name. */
export const loops = {
  read_documents: {"of":"documents","about":"reads documents that wait"},
  document_vectors: {"of":"documents","about":"gives passages of documents the vectors that a search by meaning compares"},
  jobs: {"of":"jobs","about":"makes the calls of jobs and schedules that are due, and goes on with calls that waited for an answer"},
  memory_vectors: {"of":"memories","about":"gives memories the vectors that a search by meaning compares"},
  rooms: {"of":"rooms","about":"has agents work off what was posted to rooms"},
  words: {"of":"store","about":"makes the words anew that texts are found by, after they were split by older rules"},
  turns: {"of":"turns","about":"goes on with turns of agents whose process ended"},
} as const satisfies Readonly<Record<string, { readonly of: Name; readonly about: string }>>;

export type LoopName = keyof typeof loops;

/** Every operation, in the order of the subjects. */
export const operationIndex: readonly (OperationEntry & { readonly subject: Name })[] = [
  {"name":"accounts.sessions","subject":"accounts","permission":"tenants:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/accounts/{email}/sessions"},"needs":["accounts"]},
  {"name":"accounts.reset","subject":"accounts","permission":"tenants:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/accounts/{email}/reset","status":201},"needs":["accounts"]},
  {"name":"accounts.end","subject":"accounts","permission":"tenants:manage","onlyPeople":true,"effect":"destructive","route":{"method":"POST","path":"/accounts/{email}/end"},"needs":["accounts"]},
  {"name":"agents.list","subject":"agents","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/agents"},"needs":["catalogue"]},
  {"name":"agents.get","subject":"agents","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/agents/{agent}"},"needs":["catalogue"]},
  {"name":"agents.create","subject":"agents","permission":"catalogue:manage","effect":"write","route":{"method":"POST","path":"/agents","status":201},"needs":["catalogue"]},
  {"name":"agents.update","subject":"agents","permission":"catalogue:manage","effect":"write","route":{"method":"PATCH","path":"/agents/{agent}"},"needs":["catalogue"]},
  {"name":"agents.apply","subject":"agents","permission":"catalogue:manage","effect":"write","route":{"method":"POST","path":"/agents/apply"},"needs":["catalogue"]},
  {"name":"agents.belongings","subject":"agents","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/agents/{agent}/belongings"},"needs":["catalogue"]},
  {"name":"agents.remove","subject":"agents","permission":"catalogue:manage","effect":"destructive","route":{"method":"DELETE","path":"/agents/{agent}"},"needs":["catalogue"]},
  {"name":"approvals.list","subject":"approvals","effect":"read","route":{"method":"GET","path":"/approvals"},"needs":[]},
  {"name":"approvals.get","subject":"approvals","effect":"read","route":{"method":"GET","path":"/approvals/{id}"},"needs":[]},
  {"name":"approvals.answer","subject":"approvals","effect":"write","route":{"method":"POST","path":"/approvals/{id}/answer"},"needs":[]},
  {"name":"approvals.why","subject":"approvals","effect":"read","route":{"method":"GET","path":"/approvals/{id}/why"},"needs":[]},
  {"name":"approvals.preview","subject":"approvals","effect":"read","route":{"method":"GET","path":"/approvals/{id}/preview"},"needs":[]},
  {"name":"approvals.propose","subject":"approvals","effect":"read","route":{"method":"GET","path":"/approvals/{id}/proposal"},"needs":[]},
  {"name":"artifacts.list","subject":"artifacts","effect":"read","route":{"method":"GET","path":"/artifacts"},"needs":[]},
  {"name":"artifacts.get","subject":"artifacts","effect":"read","route":{"method":"GET","path":"/artifacts/{id}"},"needs":[]},
  {"name":"artifacts.read","subject":"artifacts","effect":"read","route":{"method":"GET","path":"/artifacts/{id}/parts"},"needs":[]},
  {"name":"browsers.list","subject":"browsers","effect":"read","route":{"method":"GET","path":"/browsers"},"needs":["browsers"]},
  {"name":"browsers.view","subject":"browsers","effect":"read","route":{"method":"GET","path":"/browsers/{session}/frame"},"needs":["browsers"]},
  {"name":"browsers.close","subject":"browsers","effect":"destructive","route":{"method":"DELETE","path":"/browsers/{session}"},"needs":["browsers"]},
  {"name":"changes.watch","subject":"changes","effect":"read","route":{"method":"GET","path":"/changes","follows":"now"},"needs":["log"]},
  {"name":"documents.list","subject":"documents","permission":"knowledge:manage","effect":"read","route":{"method":"GET","path":"/documents"},"needs":["knowledge"]},
  {"name":"documents.show","subject":"documents","permission":"knowledge:manage","effect":"read","route":{"method":"GET","path":"/documents/{id}"},"needs":["knowledge"]},
  {"name":"documents.begin","subject":"documents","permission":"knowledge:manage","effect":"write","route":{"method":"POST","path":"/documents","status":201},"needs":["knowledge"]},
  {"name":"documents.append","subject":"documents","permission":"knowledge:manage","effect":"write","route":{"method":"PUT","path":"/document-uploads/{upload}/parts/{part}"},"needs":["knowledge"]},
  {"name":"documents.finish","subject":"documents","permission":"knowledge:manage","effect":"write","route":{"method":"POST","path":"/document-uploads/{upload}/finish"},"needs":["knowledge"]},
  {"name":"documents.read","subject":"documents","permission":"knowledge:manage","effect":"read","route":{"method":"GET","path":"/documents/{id}/text"},"needs":["knowledge"]},
  {"name":"documents.export","subject":"documents","permission":"knowledge:manage","effect":"read","route":{"method":"GET","path":"/documents/export"},"needs":["knowledge"]},
  {"name":"documents.search","subject":"documents","permission":"knowledge:manage","effect":"read","route":{"method":"GET","path":"/documents/search"},"needs":["knowledge"]},
  {"name":"documents.remove","subject":"documents","permission":"knowledge:manage","effect":"destructive","route":{"method":"DELETE","path":"/documents/{id}"},"needs":["knowledge"]},
  {"name":"enablement.list","subject":"enablement","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/agents/{agent}/tools"},"needs":["catalogue"]},
  {"name":"enablement.set","subject":"enablement","permission":"catalogue:manage","effect":"write","route":{"method":"PUT","path":"/enablement"},"needs":["catalogue"]},
  {"name":"overrides.list","subject":"enablement","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/overrides"},"needs":["catalogue"]},
  {"name":"overrides.set","subject":"enablement","permission":"catalogue:manage","effect":"write","route":{"method":"PUT","path":"/overrides/{tool}"},"needs":["catalogue"]},
  {"name":"overrides.update","subject":"enablement","permission":"catalogue:manage","effect":"write","route":{"method":"PATCH","path":"/overrides/{tool}"},"needs":["catalogue"]},
  {"name":"overrides.remove","subject":"enablement","permission":"catalogue:manage","effect":"destructive","route":{"method":"DELETE","path":"/overrides/{tool}"},"needs":["catalogue"]},
  {"name":"grants.list","subject":"grants","effect":"read","route":{"method":"GET","path":"/grants"},"needs":[]},
  {"name":"grants.create","subject":"grants","effect":"write","route":{"method":"POST","path":"/grants","status":201},"needs":[]},
  {"name":"grants.revoke","subject":"grants","effect":"write","route":{"method":"DELETE","path":"/grants/{id}"},"needs":[]},
  {"name":"hooks.list","subject":"hooks","permission":"catalogue:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/hooks"},"needs":["hooks"]},
  {"name":"hooks.create","subject":"hooks","permission":"catalogue:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/hooks","status":201},"needs":["hooks","catalogue","channels"]},
  {"name":"hooks.remove","subject":"hooks","permission":"catalogue:manage","onlyPeople":true,"effect":"destructive","route":{"method":"DELETE","path":"/hooks/{hook}"},"needs":["hooks"]},
  {"name":"users.list","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/users"},"needs":["identity"]},
  {"name":"users.invite","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/invitations","status":201},"needs":["identity"]},
  {"name":"users.invitations","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/invitations"},"needs":["identity"]},
  {"name":"users.update","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"write","route":{"method":"PATCH","path":"/users/{who}"},"needs":["identity"]},
  {"name":"users.remove","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"destructive","route":{"method":"DELETE","path":"/users/{who}"},"needs":["identity"]},
  {"name":"roles.list","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/roles"},"needs":["identity"]},
  {"name":"roles.set","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"write","route":{"method":"PUT","path":"/roles/{role}"},"needs":["identity"]},
  {"name":"roles.remove","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"destructive","route":{"method":"DELETE","path":"/roles/{role}"},"needs":["identity"]},
  {"name":"keys.list","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/keys"},"needs":["identity"]},
  {"name":"keys.create","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/keys","status":201},"needs":["identity"]},
  {"name":"keys.revoke","subject":"identity","permission":"identity:manage","onlyPeople":true,"effect":"destructive","route":{"method":"DELETE","path":"/keys/{id}"},"needs":["identity"]},
  {"name":"jobs.list","subject":"jobs","effect":"read","route":{"method":"GET","path":"/jobs"},"needs":["jobs"]},
  {"name":"jobs.get","subject":"jobs","effect":"read","route":{"method":"GET","path":"/jobs/{id}"},"needs":["jobs"]},
  {"name":"jobs.enqueue","subject":"jobs","effect":"write","route":{"method":"POST","path":"/jobs","status":201},"needs":["jobs"]},
  {"name":"jobs.cancel","subject":"jobs","effect":"destructive","route":{"method":"POST","path":"/jobs/{id}/cancel"},"needs":["jobs"]},
  {"name":"jobs.redrive","subject":"jobs","effect":"write","route":{"method":"POST","path":"/jobs/{id}/redrive"},"needs":["jobs"]},
  {"name":"jobs.remove","subject":"jobs","effect":"destructive","route":{"method":"DELETE","path":"/jobs/{id}"},"needs":["jobs"]},
  {"name":"events.list","subject":"log","effect":"read","route":{"method":"GET","path":"/events","follows":"sequence"},"needs":["log"]},
  {"name":"events.watch","subject":"log","effect":"read","route":{"method":"GET","path":"/events/watch","follows":"now"},"needs":["log"]},
  {"name":"events.heads","subject":"log","permission":"log:read","effect":"read","route":{"method":"GET","path":"/events/heads"},"needs":["log"]},
  {"name":"events.verify","subject":"log","effect":"read","route":{"method":"GET","path":"/events/report"},"needs":["log"]},
  {"name":"events.prune","subject":"log","permission":"tenants:manage","onlyPeople":true,"effect":"destructive","route":{"method":"POST","path":"/events/prune"},"needs":["retention"]},
  {"name":"doctor.check","subject":"machine","permission":"tenants:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/doctor"},"needs":["machine"]},
  {"name":"memories.list","subject":"memories","effect":"read","route":{"method":"GET","path":"/memories"},"needs":["memories"]},
  {"name":"memories.owners","subject":"memories","permission":"memory:manage","effect":"read","route":{"method":"GET","path":"/memory-owners"},"needs":["memories"]},
  {"name":"memories.show","subject":"memories","effect":"read","route":{"method":"GET","path":"/memories/{key}"},"needs":["memories"]},
  {"name":"memories.save","subject":"memories","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/memories"},"needs":["memories"]},
  {"name":"memories.import","subject":"memories","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/memories/import"},"needs":["memories"]},
  {"name":"memories.remove","subject":"memories","onlyPeople":true,"effect":"destructive","route":{"method":"DELETE","path":"/memories/{key}"},"needs":["memories"]},
  {"name":"models.list","subject":"models","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/models"},"needs":["models"]},
  {"name":"models.test","subject":"models","permission":"catalogue:manage","effect":"write","route":{"method":"POST","path":"/models/test"},"needs":["models"]},
  {"name":"policy.current","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/policy","version":"revision"},"needs":[]},
  {"name":"policy.why","subject":"policies","effect":"read","route":{"method":"POST","path":"/policy/why"},"needs":[]},
  {"name":"policy.lint","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"POST","path":"/policy/lint"},"needs":[]},
  {"name":"policy.simulate","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"POST","path":"/policy/simulate"},"needs":["runs"]},
  {"name":"policy.schema","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/policy/schema"},"needs":[]},
  {"name":"policy.check","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"POST","path":"/policy/check"},"needs":[]},
  {"name":"policy.test","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"POST","path":"/policy/test"},"needs":[]},
  {"name":"policy.export","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"POST","path":"/policy/export"},"needs":[]},
  {"name":"policy.platform","subject":"policies","permission":"tenants:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/policy/platform"},"needs":["policySource"]},
  {"name":"policy.versions","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/policy/versions"},"needs":[]},
  {"name":"policy.diff","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/policy/diff"},"needs":[]},
  {"name":"policy.put","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"write","route":{"method":"PUT","path":"/policy","version":"revision"},"needs":[]},
  {"name":"policy.revert","subject":"policies","permission":"policy:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/policy/revert","version":"revision"},"needs":[]},
  {"name":"principals.current","subject":"principals","effect":"read","route":{"method":"GET","path":"/me"},"needs":[]},
  {"name":"rooms.list","subject":"rooms","effect":"read","route":{"method":"GET","path":"/rooms"},"needs":["rooms","catalogue"]},
  {"name":"rooms.get","subject":"rooms","effect":"read","route":{"method":"GET","path":"/rooms/{id}"},"needs":["rooms","catalogue"]},
  {"name":"rooms.create","subject":"rooms","permission":"agents:run","effect":"write","route":{"method":"POST","path":"/rooms","status":201},"needs":["rooms","catalogue"]},
  {"name":"rooms.update","subject":"rooms","effect":"write","route":{"method":"PATCH","path":"/rooms/{id}"},"needs":["rooms","catalogue"]},
  {"name":"rooms.post","subject":"rooms","effect":"write","route":{"method":"POST","path":"/rooms/{id}/events","status":201},"needs":["rooms"]},
  {"name":"rooms.resolve","subject":"rooms","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/rooms/{id}/resolve"},"needs":["rooms"]},
  {"name":"rooms.delete","subject":"rooms","effect":"destructive","route":{"method":"DELETE","path":"/rooms/{id}"},"needs":["rooms","turns"]},
  {"name":"runs.list","subject":"runs","permission":"log:read","effect":"read","route":{"method":"GET","path":"/runs"},"needs":["runs"]},
  {"name":"runs.get","subject":"runs","effect":"read","route":{"method":"GET","path":"/runs/{id}"},"needs":["runs"]},
  {"name":"runs.why","subject":"runs","effect":"read","route":{"method":"GET","path":"/runs/{id}/why"},"needs":["runs","log"]},
  {"name":"schedules.list","subject":"schedules","effect":"read","route":{"method":"GET","path":"/schedules"},"needs":["schedules"]},
  {"name":"schedules.create","subject":"schedules","effect":"write","route":{"method":"POST","path":"/schedules","status":201},"needs":["schedules"]},
  {"name":"schedules.pause","subject":"schedules","effect":"write","route":{"method":"POST","path":"/schedules/{id}/pause"},"needs":["schedules"]},
  {"name":"schedules.remove","subject":"schedules","effect":"destructive","route":{"method":"DELETE","path":"/schedules/{id}"},"needs":["schedules"]},
  {"name":"secrets.list","subject":"secrets","permission":"secrets:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/secrets"},"needs":["secrets"]},
  {"name":"secrets.set","subject":"secrets","permission":"secrets:manage","onlyPeople":true,"effect":"destructive","route":{"method":"PUT","path":"/secrets/{name}"},"needs":["secrets"]},
  {"name":"secrets.remove","subject":"secrets","permission":"secrets:manage","onlyPeople":true,"effect":"destructive","route":{"method":"DELETE","path":"/secrets/{name}"},"needs":["secrets"]},
  {"name":"secrets.rotate","subject":"secrets","permission":"tenants:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/master-keys/rotate"},"needs":["masterKeys"]},
  {"name":"secrets.check","subject":"secrets","permission":"tenants:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/master-keys"},"needs":["masterKeys"]},
  {"name":"sessions.list","subject":"sessions","effect":"read","route":{"method":"GET","path":"/sessions"},"needs":[]},
  {"name":"sessions.get","subject":"sessions","effect":"read","route":{"method":"GET","path":"/sessions/{id}"},"needs":[]},
  {"name":"sessions.create","subject":"sessions","effect":"write","route":{"method":"POST","path":"/sessions","status":201},"needs":[]},
  {"name":"sessions.update","subject":"sessions","effect":"write","route":{"method":"PATCH","path":"/sessions/{id}"},"needs":[]},
  {"name":"sessions.share","subject":"sessions","effect":"write","route":{"method":"POST","path":"/sessions/{id}/share"},"needs":[]},
  {"name":"sessions.unshare","subject":"sessions","effect":"write","route":{"method":"POST","path":"/sessions/{id}/unshare"},"needs":[]},
  {"name":"skills.list","subject":"skills","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/skills"},"needs":["catalogue"]},
  {"name":"skills.get","subject":"skills","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/skills/{skill}"},"needs":["catalogue"]},
  {"name":"skills.create","subject":"skills","permission":"catalogue:manage","effect":"write","route":{"method":"POST","path":"/skills","status":201},"needs":["catalogue"]},
  {"name":"skills.update","subject":"skills","permission":"catalogue:manage","effect":"write","route":{"method":"PATCH","path":"/skills/{skill}"},"needs":["catalogue"]},
  {"name":"skills.remove","subject":"skills","permission":"catalogue:manage","effect":"destructive","route":{"method":"DELETE","path":"/skills/{skill}"},"needs":["catalogue"]},
  {"name":"skills.assign","subject":"skills","permission":"catalogue:manage","effect":"write","route":{"method":"PUT","path":"/skills/{skill}/agents/{agent}"},"needs":["catalogue"]},
  {"name":"store.describe","subject":"store","permission":"tenants:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/store"},"needs":["store"]},
  {"name":"store.verify","subject":"store","permission":"tenants:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/store/report"},"needs":["store"]},
  {"name":"store.tidy","subject":"store","permission":"tenants:manage","onlyPeople":true,"effect":"destructive","route":{"method":"POST","path":"/store/tidy"},"needs":["retention"]},
  {"name":"tools.inspect","subject":"tenantTools","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/survey/{tool}"},"needs":["catalogue"]},
  {"name":"tools.own","subject":"tenantTools","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/tenant-tools"},"needs":["catalogue"]},
  {"name":"tools.put","subject":"tenantTools","permission":"catalogue:manage","effect":"write","route":{"method":"PUT","path":"/tenant-tools/{tool}"},"needs":["catalogue"]},
  {"name":"tools.remove","subject":"tenantTools","permission":"catalogue:manage","effect":"destructive","route":{"method":"DELETE","path":"/tenant-tools/{tool}"},"needs":["catalogue"]},
  {"name":"tools.versions","subject":"tenantTools","permission":"catalogue:manage","effect":"read","route":{"method":"GET","path":"/tenant-tools/{tool}/versions"},"needs":["catalogue"]},
  {"name":"tenants.list","subject":"tenants","permission":"tenants:manage","onlyPeople":true,"effect":"read","route":{"method":"GET","path":"/tenants"},"needs":["tenants"]},
  {"name":"tenants.create","subject":"tenants","permission":"tenants:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/tenants","status":201},"needs":["tenants"]},
  {"name":"tenants.suspend","subject":"tenants","permission":"tenants:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/tenants/{tenant}/suspend"},"needs":["tenants"]},
  {"name":"tenants.resume","subject":"tenants","permission":"tenants:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/tenants/{tenant}/resume"},"needs":["tenants"]},
  {"name":"tools.list","subject":"tools","effect":"read","route":{"method":"GET","path":"/tools"},"needs":[]},
  {"name":"tools.search","subject":"tools","effect":"read","route":{"method":"GET","path":"/search"},"needs":[]},
  {"name":"tools.get","subject":"tools","effect":"read","route":{"method":"GET","path":"/tools/{name}"},"needs":[]},
  {"name":"tools.schema","subject":"tools","effect":"read","route":{"method":"GET","path":"/tools/{name}/schema"},"needs":[]},
  {"name":"tools.report","subject":"tools","effect":"read","route":{"method":"GET","path":"/schemas/report"},"needs":[]},
  {"name":"tools.survey","subject":"tools","permission":"catalogue:explain","effect":"read","route":{"method":"GET","path":"/survey"},"needs":[]},
  {"name":"tools.sync","subject":"tools","permission":"tenants:manage","onlyPeople":true,"effect":"write","route":{"method":"POST","path":"/tools/sync"},"needs":["toolSync"]},
  {"name":"turns.list","subject":"turns","effect":"read","route":{"method":"GET","path":"/turns"},"needs":["turns"]},
  {"name":"turns.get","subject":"turns","effect":"read","route":{"method":"GET","path":"/turns/{id}"},"needs":["turns"]},
  {"name":"turns.watch","subject":"turns","effect":"read","route":{"method":"GET","path":"/turns/{id}/parts","follows":"position"},"needs":["turns","turnStream"]},
  {"name":"turns.cancel","subject":"turns","effect":"destructive","route":{"method":"POST","path":"/turns/{id}/cancel"},"needs":["turns"]},
  {"name":"messages.list","subject":"turns","effect":"read","route":{"method":"GET","path":"/sessions/{conversation}/messages"},"needs":["turns"]},
  {"name":"usage.get","subject":"usage","permission":"log:read","effect":"read","route":{"method":"GET","path":"/usage"},"needs":["usage"]},
  {"name":"usage.models","subject":"usage","permission":"log:read","effect":"read","route":{"method":"GET","path":"/usage/models"},"needs":["turns"]},
  {"name":"usage.limits","subject":"usage","effect":"read","route":{"method":"GET","path":"/usage/limits"},"needs":["limits"]},
];
