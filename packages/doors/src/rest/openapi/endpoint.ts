import type { Json, JsonObject } from "@toolwright/engine";
import { sha256 } from "@toolwright/engine/ports";

/** One method on one path, as the document and the pages show it. */
export interface Endpoint {
  readonly method: string;
  /** Below the door's path. */
  readonly path: string;
  readonly tag: string;
  /** The operation object of OpenAPI. */
  readonly operation: JsonObject & { readonly operationId: string; readonly summary: string; readonly description: string };
  /** The schemas that only it refers to, by their names in the document. */
  readonly schemas: Readonly<Record<string, JsonObject>>;
}

/** An endpoint with its text, which is written once. */
export interface WrittenEndpoint extends Endpoint {
  /** `"get":{...}`. */
  readonly operationText: string;
  /** `"name":{...},...`; empty when it has none. */
  readonly schemasText: string;
  /** Of all of it. */
  readonly digest: string;
}

export const jsonContent = (schema: JsonObject, more: JsonObject = {}): JsonObject => ({ "application/json": { schema, ...more } });

/** Without the members that are undefined. */
export function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Writes the texts of an endpoint. */
export function writeEndpoint(endpoint: Endpoint): WrittenEndpoint {
  const { method, operation, schemas } = endpoint;
  const operationText = `${JSON.stringify(method)}:${JSON.stringify(operation)}`;
  const schemasText = JSON.stringify(schemas).slice(1, -1);
  return { ...endpoint, operationText, schemasText, digest: sha256(`${endpoint.path}\n${operationText}\n${schemasText}`) };
}
