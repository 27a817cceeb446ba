import type { OperationName } from "@toolwright/engine/operations";

/** Where an operation is served. Names in braces are members of its input; the rest comes from the query, or from the JSON body. */
export interface OperationRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the door's path. */
  readonly path: string;
  readonly operation: OperationName;
  /** Of a success. Default 200. */
  readonly status?: number;
  /** Member of the output that counts its versions: it is the ETag, and `If-Match` gives it as the input's member `read`. */
  readonly version?: "revision";
  /** Where it can be followed as a stream: the member of an item that is its event id, and that `Last-Event-ID` gives as `after`. */
  readonly follows?: "sequence";
}

/** A route a line. Every operation has one. */
export const operationRoutes: readonly OperationRoute[] = [
  { method: "GET", path: "/tools", operation: "tools.list" },
  { method: "GET", path: "/tools/{name}", operation: "tools.get" },
  { method: "GET", path: "/tools/{name}/schema", operation: "tools.schema" },
  { method: "GET", path: "/survey", operation: "tools.survey" },
  { method: "GET", path: "/tenant-tools", operation: "tools.own" },
  { method: "PUT", path: "/tenant-tools/{tool}", operation: "tools.put" },
  { method: "DELETE", path: "/tenant-tools/{tool}", operation: "tools.remove" },
  { method: "GET", path: "/tenant-tools/{tool}/versions", operation: "tools.versions" },
  { method: "GET", path: "/approvals", operation: "approvals.list" },
  { method: "GET", path: "/approvals/{id}", operation: "approvals.get" },
  { method: "POST", path: "/approvals/{id}/answer", operation: "approvals.answer" },
  { method: "GET", path: "/approvals/{id}/proposal", operation: "approvals.propose" },
  { method: "GET", path: "/grants", operation: "grants.list" },
  { method: "POST", path: "/grants", operation: "grants.create", status: 201 },
  { method: "DELETE", path: "/grants/{id}", operation: "grants.revoke" },
  { method: "GET", path: "/runs", operation: "runs.list" },
  { method: "GET", path: "/runs/{id}", operation: "runs.get" },
  { method: "GET", path: "/usage", operation: "usage.get" },
  { method: "GET", path: "/sessions", operation: "sessions.list" },
  { method: "POST", path: "/sessions", operation: "sessions.create", status: 201 },
  { method: "GET", path: "/sessions/{id}", operation: "sessions.get" },
  { method: "PATCH", path: "/sessions/{id}", operation: "sessions.update" },
  { method: "GET", path: "/events", operation: "events.list", follows: "sequence" },
  { method: "GET", path: "/events/heads", operation: "events.heads" },
  { method: "GET", path: "/events/report", operation: "events.verify" },
  { method: "GET", path: "/artifacts", operation: "artifacts.list" },
  { method: "GET", path: "/artifacts/{id}", operation: "artifacts.get" },
  { method: "GET", path: "/jobs", operation: "jobs.list" },
  { method: "POST", path: "/jobs", operation: "jobs.enqueue", status: 201 },
  { method: "GET", path: "/jobs/{id}", operation: "jobs.get" },
  { method: "POST", path: "/jobs/{id}/cancel", operation: "jobs.cancel" },
  { method: "POST", path: "/jobs/{id}/redrive", operation: "jobs.redrive" },
  { method: "DELETE", path: "/jobs/{id}", operation: "jobs.remove" },
  { method: "GET", path: "/schedules", operation: "schedules.list" },
  { method: "POST", path: "/schedules", operation: "schedules.create", status: 201 },
  { method: "POST", path: "/schedules/{id}/pause", operation: "schedules.pause" },
  { method: "DELETE", path: "/schedules/{id}", operation: "schedules.remove" },
  { method: "GET", path: "/policy", operation: "policy.current", version: "revision" },
  { method: "PUT", path: "/policy", operation: "policy.put", version: "revision" },
  { method: "POST", path: "/policy/revert", operation: "policy.revert", version: "revision" },
  { method: "GET", path: "/policy/versions", operation: "policy.versions" },
  { method: "GET", path: "/policy/diff", operation: "policy.diff" },
  { method: "POST", path: "/policy/why", operation: "policy.why" },
  { method: "POST", path: "/policy/lint", operation: "policy.lint" },
  { method: "POST", path: "/policy/simulate", operation: "policy.simulate" },
  { method: "GET", path: "/agents", operation: "agents.list" },
  { method: "POST", path: "/agents", operation: "agents.create", status: 201 },
  { method: "PATCH", path: "/agents/{agent}", operation: "agents.update" },
  { method: "GET", path: "/agents/{agent}/belongings", operation: "agents.belongings" },
  { method: "DELETE", path: "/agents/{agent}", operation: "agents.remove" },
  { method: "GET", path: "/agents/{agent}/tools", operation: "enablement.list" },
  { method: "PUT", path: "/enablement", operation: "enablement.set" },
  { method: "GET", path: "/skills", operation: "skills.list" },
  { method: "POST", path: "/skills", operation: "skills.create", status: 201 },
  { method: "PATCH", path: "/skills/{skill}", operation: "skills.update" },
  { method: "DELETE", path: "/skills/{skill}", operation: "skills.remove" },
  { method: "PUT", path: "/skills/{skill}/agents/{agent}", operation: "skills.assign" },
  { method: "GET", path: "/overrides", operation: "overrides.list" },
  { method: "PUT", path: "/overrides/{tool}", operation: "overrides.set" },
  { method: "PATCH", path: "/overrides/{tool}", operation: "overrides.update" },
  { method: "DELETE", path: "/overrides/{tool}", operation: "overrides.remove" },
  { method: "GET", path: "/secrets", operation: "secrets.list" },
  { method: "PUT", path: "/secrets/{name}", operation: "secrets.set" },
  { method: "DELETE", path: "/secrets/{name}", operation: "secrets.remove" },
  { method: "GET", path: "/users", operation: "users.list" },
  { method: "PATCH", path: "/users/{who}", operation: "users.update" },
  { method: "DELETE", path: "/users/{who}", operation: "users.remove" },
  { method: "GET", path: "/invitations", operation: "users.invitations" },
  { method: "POST", path: "/invitations", operation: "users.invite", status: 201 },
  { method: "GET", path: "/roles", operation: "roles.list" },
  { method: "PUT", path: "/roles/{role}", operation: "roles.set" },
  { method: "DELETE", path: "/roles/{role}", operation: "roles.remove" },
  { method: "GET", path: "/keys", operation: "keys.list" },
  { method: "POST", path: "/keys", operation: "keys.create", status: 201 },
  { method: "DELETE", path: "/keys/{id}", operation: "keys.revoke" },
  { method: "GET", path: "/tenants", operation: "tenants.list" },
  { method: "POST", path: "/tenants", operation: "tenants.create", status: 201 },
  { method: "POST", path: "/tenants/{tenant}/suspend", operation: "tenants.suspend" },
  { method: "POST", path: "/tenants/{tenant}/resume", operation: "tenants.resume" },
  { method: "GET", path: "/doctor", operation: "doctor.check" },
];
