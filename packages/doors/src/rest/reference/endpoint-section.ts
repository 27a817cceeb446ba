import type { Json, JsonObject } from "@toolwright/engine";
import { html } from "hono/html";
import type { Endpoint } from "../openapi/endpoint.ts";
import { sharedComponents } from "../openapi/shared-components.ts";
import { curlLine, outlineOf } from "./curl-line.ts";
import { type Html, words } from "./page.ts";
import { type FindSchema, memberTable, resolveSchema, type SchemaRow, schemaTable, typeOf } from "./schema-table.ts";

/** How the pages write paths and requests. */
export interface Shown {
  readonly base: string;
  readonly open: boolean;
}

/** An endpoint as a part of a page: what it does, what it takes, requests in a shell, and what it answers. */
export function endpointSection(endpoint: Endpoint, shown: Shown): Html {
  const { method, path, operation } = endpoint;
  const find: FindSchema = (name) => endpoint.schemas[name] ?? sharedComponents.schemas[name];
  const parameters = listOf(operation.parameters).map((parameter) => resolve(parameter, sharedComponents.parameters));
  const json = contentOf(operation.requestBody, "application/json");
  return html`<section id="${operation.operationId}">
<h2>${operation.summary}</h2>
<p class="where">${method.toUpperCase()} ${shown.base}${path}</p>
<p class="text">${words(operation.description)}</p>
${factsOf(operation["x-toolwright"])}
${json && html`<h3>Input</h3>${schemaTable(json.schema as JsonObject, find)}`}
${parameters.length > 0 && html`<h3>Parameters</h3>${memberTable(parameters.map((parameter) => rowOf(parameter, find)))}`}
<h3>${examplesOf(json).length > 0 ? "Examples" : "Request"}</h3>
${requestsOf(endpoint, json, { ...shown, find })}
<h3>Answers</h3>
${answersOf(operation.responses as JsonObject, find)}
</section>`;
}

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);
const listOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** A shared part of the document where this refers to one. */
function resolve(part: JsonObject, parts: Readonly<Record<string, JsonObject>>): JsonObject {
  return typeof part.$ref === "string" ? (parts[part.$ref.slice(part.$ref.lastIndexOf("/") + 1)] ?? part) : part;
}

function contentOf(of: Json | undefined, mediaType: string): JsonObject | undefined {
  const content = isObject(of) && isObject(of.content) ? of.content[mediaType] : undefined;
  return isObject(content) ? content : undefined;
}

function rowOf({ name, in: where, required, description, schema }: JsonObject, find: FindSchema): SchemaRow {
  const type = `${typeOf(isObject(schema) ? schema : {}, find)}, ${where}`;
  return { path: String(name), type, required: required === true, about: String(description ?? "") };
}

/** What the marks of an endpoint mean for people. */
const marks: Readonly<Record<string, (value: Json) => string | undefined>> = {
  permission: (value) => `Needs the permission \`${value}\`.`,
  onlyPeople: (value) => (value === true ? "Only people may use it." : undefined),
  effect: (value) => (value === "destructive" ? "It cannot be taken back." : undefined),
  approval: (value) => (value === "always_ask" ? "A person is asked before each call." : undefined),
  readOnlyHint: (value) => (value === true ? "It changes nothing." : undefined),
  destructiveHint: (value) => (value === true ? "It may change or delete what is there." : undefined),
  openWorldHint: (value) => (value === true ? "It reaches other systems." : undefined),
};

function factsOf(given: Json | undefined): Html | false {
  const said = Object.entries(isObject(given) ? given : {}).flatMap(([mark, value]) => marks[mark]?.(value) ?? []);
  return said.length > 0 && html`<ul>${said.map((fact) => html`<li>${words(fact)}</li>`)}</ul>`;
}

function examplesOf(json: JsonObject | undefined): readonly JsonObject[] {
  return json && isObject(json.examples) ? Object.values(json.examples).filter(isObject) : [];
}

function requestsOf(
  { method, path, operation }: Endpoint,
  json: JsonObject | undefined,
  { find, ...shown }: Shown & { readonly find: FindSchema },
): Html {
  const examples = examplesOf(json);
  const required = listOf(operation.parameters).filter((parameter) => parameter.in === "query" && parameter.required === true);
  const query = required.length === 0 ? "" : `?${required.map(({ name }) => `${name}=...`).join("&")}`;
  const request = (body: Json | undefined) => html`<pre>${curlLine({ ...shown, method, path: `${path}${query}`, body })}</pre>`;
  if (examples.length > 0) return html`${examples.map(({ summary, value }) => html`<p>${summary}</p>${request(value)}`)}`;
  return request(json && outlineOf(json.schema as JsonObject, find));
}

function answersOf(responses: JsonObject, find: FindSchema): Html {
  const all = Object.entries(responses).map(([status, response]) => ({
    status,
    response: resolve(isObject(response) ? response : {}, sharedComponents.responses),
  }));
  const done = all.map(({ response }) => contentOf(response, "application/json")).find((content) => content !== undefined);
  return html`<div class="scroll"><table><thead><tr><th>Status</th><th>About</th></tr></thead><tbody>${all.map(
    ({ status, response }) => html`<tr><td><code>${status}</code></td><td>${words(String(response.description))}</td></tr>`,
  )}</tbody></table></div>
${done && html`<h3>Output</h3>${schemaTable(outputOf(done.schema as JsonObject, find), find)}`}`;
}

/** A call answers with a result, of which the tool gives the member `output`: that is what differs from tool to tool. */
function outputOf(schema: JsonObject, find: FindSchema): JsonObject {
  const [, own] = listOf(schema.allOf);
  const output = isObject(own?.properties) ? own.properties.output : undefined;
  return isObject(output) ? resolveSchema(output, find) : schema;
}
