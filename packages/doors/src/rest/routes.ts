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
}

/** A route a line. Every operation has one. */
export const operationRoutes: readonly OperationRoute[] = [
  { method: "GET", path: "/tools", operation: "tools.list" },
  { method: "GET", path: "/tools/{name}", operation: "tools.get" },
  { method: "GET", path: "/tools/{name}/schema", operation: "tools.schema" },
  { method: "GET", path: "/approvals", operation: "approvals.list" },
  { method: "GET", path: "/approvals/{id}", operation: "approvals.get" },
  { method: "POST", path: "/approvals/{id}/answer", operation: "approvals.answer" },
  { method: "GET", path: "/approvals/{id}/proposal", operation: "approvals.propose" },
  { method: "GET", path: "/runs", operation: "runs.list" },
  { method: "GET", path: "/runs/{id}", operation: "runs.get" },
  { method: "GET", path: "/sessions", operation: "sessions.list" },
  { method: "POST", path: "/sessions", operation: "sessions.create", status: 201 },
  { method: "GET", path: "/sessions/{id}", operation: "sessions.get" },
  { method: "PATCH", path: "/sessions/{id}", operation: "sessions.update" },
  { method: "GET", path: "/policy", operation: "policy.current", version: "revision" },
  { method: "PUT", path: "/policy", operation: "policy.put", version: "revision" },
  { method: "POST", path: "/policy/revert", operation: "policy.revert", version: "revision" },
  { method: "GET", path: "/policy/versions", operation: "policy.versions" },
  { method: "GET", path: "/policy/diff", operation: "policy.diff" },
];
