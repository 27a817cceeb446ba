import type { JsonObject } from "@toolwright/engine";
import { membersOf, type Operation, type OperationRoute } from "@toolwright/engine/operations";
import { embedSchema } from "@toolwright/engine/schema";
import { type Endpoint, jsonContent, present, requiredOf } from "./endpoint.ts";
import { findShared, schemasAt } from "./result-schemas.ts";
import { headerRef, parameterRef, problemResponses, schemaRef } from "./shared-components.ts";

/** The endpoint of an operation, from its route and its schemas. */
export function operationEndpoint(operation: Operation): Endpoint {
  const { name, route, title, description, effect, permission, onlyPeople } = operation;
  const [input, output] = [`${name}.input`, `${name}.output`];
  const given = embedSchema(markSecret(operation), { name: input, place: schemasAt });
  const answered = embedSchema(operation.output.json, { name: output, place: schemasAt, findShared });
  const { parameters, body } = readInput(route, given.schema);
  const tag = name.slice(0, name.indexOf("."));
  return {
    method: route.method.toLowerCase(),
    path: route.path,
    tag,
    operation: {
      operationId: name,
      tags: [tag],
      summary: title,
      description,
      "x-toolwright": present({ effect, permission, onlyPeople: onlyPeople || undefined }),
      parameters: [...parameters, ...headersOf(route, operation)],
      ...(body && {
        requestBody: { required: requiredOf(body).length > 0, content: jsonContent(schemaRef(input)) },
      }),
      responses: { ...successesOf(route, schemaRef(output)), ...problemResponses },
    },
    schemas: { ...(body && { [input]: body }), ...given.definitions, [output]: answered.schema, ...answered.definitions },
  };
}

function markSecret({ input: { json }, secret }: Operation): JsonObject {
  if (secret.length === 0) return json;
  const properties = Object.entries(json.properties as Readonly<Record<string, JsonObject>>);
  return {
    ...json,
    properties: Object.fromEntries(
      properties.map(([name, schema]) => [name, secret.includes(name) ? { ...schema, writeOnly: true } : schema]),
    ),
  };
}

/** Members of the input by where a request has them; `body` is the schema of those that remain. */
function readInput(
  { method, path, version }: OperationRoute,
  input: JsonObject,
): { parameters: JsonObject[]; body: JsonObject | undefined } {
  const properties = Object.entries((input.properties ?? {}) as Readonly<Record<string, JsonObject>>);
  const required = new Set(requiredOf(input));
  const inPath = new Set(membersOf({ path }));
  const hasBody = method !== "GET" && method !== "DELETE";
  const parameters = properties
    .filter(([name]) => inPath.has(name) || !hasBody)
    .map(([name, schema]) => toParameter(name, schema, { inPath: inPath.has(name), required: inPath.has(name) || required.has(name) }));
  const rest = properties.filter(([name]) => !inPath.has(name));
  if (!hasBody || rest.length === 0) return { parameters, body: undefined };
  // If-Match gives it as well.
  const needed = rest.map(([name]) => name).filter((name) => required.has(name) && !(version !== undefined && name === "read"));
  const { required: _, ...others } = input;
  return { parameters, body: { ...others, properties: Object.fromEntries(rest), ...(needed.length > 0 && { required: needed }) } };
}

function toParameter(
  name: string,
  { description, ...schema }: JsonObject,
  at: { readonly inPath: boolean; readonly required: boolean },
): JsonObject {
  const about = description ?? (at.required ? `Which ${name}.` : `Only those of this ${name}.`);
  return { name, in: at.inPath ? "path" : "query", ...(at.required && { required: true }), description: about, schema };
}

function headersOf({ method, version, follows }: OperationRoute, { effect }: Operation): JsonObject[] {
  return [
    ...(version === undefined ? [] : [parameterRef(method === "GET" ? "IfNoneMatch" : "IfMatch")]),
    ...(follows === "sequence" ? [parameterRef("LastEventId")] : []),
    ...(effect === "read" ? [] : [parameterRef("Session")]),
  ];
}

function successesOf({ method, status = 200, version, follows }: OperationRoute, output: JsonObject): JsonObject {
  const stream = {
    "text/event-stream": {
      schema: {
        type: "string",
        description: `Server-sent events, one for each item${follows === "now" ? "" : `, with its \`${follows}\` as id`}. It goes on as items come.`,
      },
    },
  };
  const answer = {
    description: "The operation is done.",
    ...(version !== undefined && { headers: { ETag: headerRef("ETag") } }),
    content: { ...jsonContent(output), ...(follows !== undefined && stream) },
  };
  const unchanged = { "304": { description: "It is still the version that is known.", headers: { ETag: headerRef("ETag") } } };
  return { [status]: answer, ...(version !== undefined && method === "GET" && unchanged) };
}
