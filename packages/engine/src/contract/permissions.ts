/** Permission to answer approvals that other principals of the tenant wait for. */
export const ANSWER_APPROVALS = "approvals:answer";

/** Permission to be told why a tool is hidden. Without it a hidden tool is explained as an unknown one. */
export const EXPLAIN_CATALOGUE = "catalogue:explain";

/** Permission to read and change the policy of one's tenant. Only people may use it. */
export const MANAGE_POLICY = "policy:manage";

/** Permission to list and change the sessions of everybody in the tenant. It lets nobody call in them. */
export const MANAGE_SESSIONS = "sessions:manage";

/** Permission to read, correct and remove what the agents and people of the tenant remember. */
export const MANAGE_MEMORY = "memory:manage";

/** Permission to read what everybody in the tenant did: runs, usage, events. */
export const READ_LOG = "log:read";

/** Permission to change who has which tools: agents, enablement, skills, overrides, the tenant's own tools. */
export const MANAGE_CATALOGUE = "catalogue:manage";

/** Permission to set and remove secrets. Nobody can read one. Only people may use it. */
export const MANAGE_SECRETS = "secrets:manage";

/** Permission to manage the people, roles and API keys of the tenant. Only people may use it. */
export const MANAGE_IDENTITY = "identity:manage";

/** Permission to make and suspend tenants, for whoever runs the server: no role of a tenant has it. */
export const MANAGE_TENANTS = "tenants:manage";

/** Permission to have an agent answer a message. */
export const RUN_AGENTS = "agents:run";

/** Permission to add, read and remove the documents of the tenant that agents search. */
export const MANAGE_KNOWLEDGE = "knowledge:manage";

/** Permission to see and end jobs and schedules that other principals of the tenant made. */
export const MANAGE_JOBS = "jobs:manage";
