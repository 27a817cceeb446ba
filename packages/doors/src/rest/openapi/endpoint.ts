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
  /** Digest of the whole endpoint. */
  readonly digest: string;
  /** What it refers to: `#/components/parameters/Prefer`. */
  readonly references: readonly string[];
}

export const jsonContent = (schema: JsonObject, more: JsonObject = {}): JsonObject => ({ "application/json": { schema, ...more } });

/** Without the members that are undefined. */
export function present(object: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** Names of the members that an object must have. */
export function requiredOf({ required }: JsonObject): readonly string[] {
  return Array.isArray(required) ? (required as string[]) : [];
}

/** The references in a text that `JSON.stringify` wrote, each once. */
export function referencesIn(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(/"\$ref":"([^"]+)"/g), ([, reference = ""]) => reference))];
}

/** Writes the texts of an endpoint. */
export function writeEndpoint(endpoint: Endpoint): WrittenEndpoint {
  const { method, operation, schemas } = endpoint;
  const operationText = `${JSON.stringify(method)}:${JSON.stringify(operation)}`;
  const schemasText = JSON.stringify(schemas).slice(1, -1);
  const digest = sha256(`${endpoint.path}\n${operationText}\n${schemasText}`);
  return { ...endpoint, operationText, schemasText, digest, references: referencesIn(operationText) };
}
