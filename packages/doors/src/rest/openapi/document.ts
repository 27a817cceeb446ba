import type { JsonObject } from "@toolwright/engine";
import type { Operation, ToolSummary } from "@toolwright/engine/operations";
import { sha256 } from "@toolwright/engine/ports";
import { isToolTag, otherEndpoints, toolEndpoint } from "./call-endpoints.ts";
import { type Endpoint, referencesIn, type WrittenEndpoint, writeEndpoint } from "./endpoint.ts";
import { operationEndpoint } from "./operation-endpoint.ts";
import { sharedComponents } from "./shared-components.ts";
import { turnEndpoints } from "./turn-endpoints.ts";
import { webhookEndpoints } from "./webhook-endpoints.ts";

/** What the document says of the server itself. */
export interface ServerFacts {
  readonly name: string;
  readonly version: string;
  /** Path that every path of the document follows. */
  readonly base: string;
  /** True when requests without a key are served. */
  readonly open: boolean;
  /** Name of the tool that begins turns of agents; undefined where there are none. */
  readonly turnTool?: string | undefined;
  /** True where it takes webhooks of others. */
  readonly takesWebhooks?: boolean | undefined;
}

/** What a caller may ask of the door. */
export interface Reach {
  readonly operations: readonly Operation[];
  readonly tools: readonly ToolSummary[];
}

/** The API as one caller sees it. */
export interface ApiDocument {
  /** Equal for equal documents. */
  readonly revision: string;
  readonly endpoints: readonly WrittenEndpoint[];
}

const operations = new WeakMap<Operation, WrittenEndpoint>();
const tools = new WeakMap<JsonObject, { readonly tool: ToolSummary; readonly endpoint: WrittenEndpoint }>();
const others = otherEndpoints.map(writeEndpoint);
const ofTurns = turnEndpoints.map(writeEndpoint);
const ofWebhooks = webhookEndpoints.map(writeEndpoint);
const sharedDigest = sha256(JSON.stringify(sharedComponents));

/** Describes the API for a caller. What was written for a definition before is not written again. */
export function describeApi(reach: Reach, server: ServerFacts): ApiDocument {
  const hasTurns = reach.tools.some(({ name }) => name === server.turnTool);
  const below = [...others, ...(hasTurns ? ofTurns : []), ...(server.takesWebhooks ? ofWebhooks : [])];
  const endpoints = [...reach.operations.map(writeOperation), ...below, ...reach.tools.map(writeTool)];
  return { revision: sha256([JSON.stringify(server), sharedDigest, ...endpoints.map(({ digest }) => digest)].join("\n")), endpoints };
}

function writeOperation(operation: Operation): WrittenEndpoint {
  const known = operations.get(operation);
  if (known) return known;
  const endpoint = writeEndpoint(operationEndpoint(operation));
  operations.set(operation, endpoint);
  return endpoint;
}

/** A schema is compiled once per definition, so its identity names what was written for it; a tenant may call the same tool by other words. */
function writeTool(tool: ToolSummary): WrittenEndpoint {
  const known = tools.get(tool.inputSchema);
  if (known && shown.every((member) => known.tool[member] === tool[member])) return known.endpoint;
  const endpoint = writeEndpoint(toolEndpoint(tool));
  tools.set(tool.inputSchema, { tool, endpoint });
  return endpoint;
}

/** The members of a tool that the document shows. */
const shown = ["name", "title", "group", "description", "hash", "hints", "approval", "permission", "examples", "outputSchema"] as const;

/** The document as JSON text. */
export function writeDocument({ endpoints }: ApiDocument, server: ServerFacts): string {
  const paths = [...Map.groupBy(endpoints, ({ path }) => path)].map(
    ([path, some]) => `${JSON.stringify(path)}:{${some.map(({ operationText }) => operationText).join(",")}}`,
  );
  const schemas = [membersOf(sharedComponents.schemas), ...endpoints.map(({ schemasText }) => schemasText)].filter((text) => text !== "");
  const top = membersOf({ ...describeServer(server), tags: tagsOf(endpoints) });
  const components = membersOf({ ...usedBy(endpoints), securitySchemes });
  return `{${top},"paths":{${paths.join(",")}},"components":{${components},"schemas":{${schemas.join(",")}}}}`;
}

/** The shared parts that these endpoints refer to: linters complain of others. */
function usedBy(endpoints: readonly WrittenEndpoint[]): Pick<typeof sharedComponents, "parameters" | "headers" | "responses"> {
  const { parameters, headers, responses } = sharedComponents;
  const used = new Set([...endpoints.flatMap(({ references }) => references), ...referencesIn(JSON.stringify(responses))]);
  const keep = (parts: typeof headers, kind: string) =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`#/components/${kind}/${name}`)));
  return { parameters: keep(parameters, "parameters"), headers: keep(headers, "headers"), responses };
}

/** An object as JSON text, without its braces. */
const membersOf = (object: object) => JSON.stringify(object).slice(1, -1);

const securitySchemes: JsonObject = {
  key: { type: "http", scheme: "bearer", description: "An API key, or an access token of a person, in the Authorization header." },
};

function describeServer({ name, version, base, open }: ServerFacts): JsonObject {
  return {
    openapi: "3.1.1",
    info: {
      title: name,
      version,
      summary: "The tools and operations that you may use.",
      description:
        "Each tool has a path that calls it, and each operation one of its own. A call passes the policy: it is done, denied, or waits for a person.",
      contact: { name: "The operator of this server" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    // From where the document is served: the same text behind every name of the server.
    servers: [{ url: base, description: "This server" }],
    security: open ? [{}, { key: [] }] : [{ key: [] }],
  };
}

/** Tags in the order of their endpoints, each with what is there. */
function tagsOf(endpoints: readonly Endpoint[]): JsonObject[] {
  return [...Map.groupBy(endpoints, ({ tag }) => tag)].map(([name, some]) => ({
    name,
    description: isToolTag(name) ? `Tools: ${some.length}` : some.map(({ operation }) => operation.summary).join(" · "),
  }));
}
