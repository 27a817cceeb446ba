import type { OperationName } from "@toolwright/engine/operations";
import { operationRoutes } from "./generated/operation-routes.ts";

/** A request for an operation, as a client sends it. */
export interface OperationHttp {
  readonly method: string;
  /** Below the door's path, with its query. */
  readonly path: string;
  /** JSON; undefined when there is none to send. */
  readonly body: string | undefined;
}

/** Method and path below the door, with members of the input in braces. */
export function routeOf(operation: OperationName): readonly [method: string, path: string] {
  const [rest = "", method = "GET"] = (operationRoutes[operation] ?? "").split(" ").reverse();
  return [method, rest.startsWith("/") ? rest : `/${operation.split(".")[0]}${rest && `/${rest}`}`];
}

/** The request that asks for an operation: members of the input go into the path, and the rest into the query or the body. */
export function writeRequest(operation: OperationName, input: object): OperationHttp {
  if (!Object.hasOwn(operationRoutes, operation)) throw new Error(`The operation ${operation} has no route.`);
  const [method, route] = routeOf(operation);
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = route.replace(/\{(\w+)\}/g, (_, member: string) => {
    const value = rest.get(member);
    rest.delete(member);
    return encodeURIComponent(String(value));
  });
  // POST, PUT and PATCH have a body.
  if (method.startsWith("P")) return { method, path, body: JSON.stringify(Object.fromEntries(rest)) };
  const query = new URLSearchParams(
    [...rest].flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)])),
  );
  return { method, path: query.size === 0 ? path : `${path}?${query}`, body: undefined };
}
