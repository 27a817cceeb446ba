import type { JsonObject } from "@toolwright/engine";
import type { ToolSummary } from "@toolwright/engine/operations";
import { compileForTarget, embedSchema, fitsSchema } from "@toolwright/engine/schema";
import { type Endpoint, jsonContent, present, requiredOf } from "./endpoint.ts";
import { schemasAt } from "./result-schemas.ts";
import { callParameters, headerRef, parameterRef, problemResponses, schemaRef, waitingResponse } from "./shared-components.ts";

const idOf = (thing: string): JsonObject => ({
  name: "id",
  in: "path",
  required: true,
  description: `Id of the ${thing}.`,
  schema: { type: "string" },
});

const stream: JsonObject = { "text/event-stream": { schema: schemaRef("CallEvents") } };

/** How a call is answered. `output` narrows what the tool gives. */
function answersOf(output?: JsonObject): JsonObject {
  const done = schemaRef("DoneResult");
  const schema = output ? { allOf: [done, { type: "object", properties: { output }, required: ["output"] }] } : done;
  return {
    "200": {
      description: "The call is done; with `Accept: text/event-stream`, its events.",
      headers: { "Idempotent-Replayed": headerRef("IdempotentReplayed"), Traceparent: headerRef("Traceparent") },
      content: { ...jsonContent(schema), ...stream },
    },
    "202": waitingResponse,
    ...problemResponses,
  };
}

/** The tag of a group of tools; operations have tags without a slash. */
const toolTag = (group: string): string => `tools/${group}`;
export const isToolTag = (tag: string): boolean => tag.startsWith("tools/");

/** The endpoint that calls one tool. */
export function toolEndpoint(tool: ToolSummary): Endpoint {
  const { name, title, group, description, hints, approval, permission, hash } = tool;
  const [input, output] = [`${name}.input`, `${name}.output`];
  const { inputSchema, outputSchema } = compileForTarget(tool, "json-schema-2020-12");
  const given = embedSchema(inputSchema, { name: input, place: schemasAt });
  const answered = embedSchema(outputSchema ?? {}, { name: output, place: schemasAt });
  const tag = toolTag(group);
  return {
    method: "post",
    path: `/tools/${name}/call`,
    tag,
    operation: {
      operationId: `call.${name}`,
      tags: [tag],
      summary: title,
      description,
      "x-toolwright": present({ ...hints, approval, permission, hash }),
      parameters: [...callParameters],
      requestBody: {
        required: requiredOf(inputSchema).length > 0,
        content: { ...jsonContent(schemaRef(input), examplesOf(tool, inputSchema)), ...withAttachments(schemaRef(input)) },
      },
      responses: answersOf(schemaRef(output)),
    },
    schemas: { [input]: given.schema, ...given.definitions, [output]: answered.schema, ...answered.definitions },
  };
}

/** Those that are whole inputs: readers of the document hold examples against the schema. */
function examplesOf({ examples }: ToolSummary, schema: JsonObject): JsonObject {
  const whole = examples.filter(({ input }) => fitsSchema(schema, input));
  if (whole.length === 0) return {};
  return {
    examples: Object.fromEntries(whole.map(({ label, input }, index) => [`example${index + 1}`, { summary: label, value: input }])),
  } as JsonObject;
}

/** The schema of a form that has the input as one part and files beside it. */
export function withAttachments(input: JsonObject): JsonObject {
  const file = { type: "string", contentMediaType: "application/octet-stream", description: "An attachment of the call" };
  return {
    "multipart/form-data": {
      schema: { type: "object", properties: { input }, additionalProperties: file },
      encoding: { input: { contentType: "application/json" } },
    },
  };
}

const resume: Endpoint = {
  method: "post",
  path: "/approvals/{id}/run",
  tag: "approvals",
  operation: {
    operationId: "approvals.run",
    tags: ["approvals"],
    summary: "Run an approved call",
    description: "Runs the call that the approval stands for, once, and answers as the call itself would.",
    parameters: [idOf("approval"), ...callParameters],
    responses: answersOf(),
  },
  schemas: {},
};

const cancel: Endpoint = {
  method: "post",
  path: "/runs/{id}/cancel",
  tag: "runs",
  operation: {
    operationId: "runs.cancel",
    tags: ["runs"],
    summary: "Cancel a call that runs on",
    description: "Cancels a call of the caller's own that runs on by itself at this server, as `Prefer` asked. Its run tells how it ended.",
    parameters: [idOf("call")],
    responses: { "202": { description: "It ends.", content: jsonContent(schemaRef("CancellingCall")) }, ...problemResponses },
  },
  schemas: {},
};

const bytes: JsonObject = {
  "*/*": {
    schema: { type: "string", contentMediaType: "application/octet-stream", description: "The bytes, in the artifact's own media type" },
  },
};
const ofArtifact = { "Accept-Ranges": headerRef("AcceptRanges"), "Content-Disposition": headerRef("ContentDisposition") };

const artifact: Endpoint = {
  method: "get",
  path: "/artifacts/{id}/content",
  tag: "artifacts",
  operation: {
    operationId: "artifacts.content",
    tags: ["artifacts"],
    summary: "Get the content of an artifact",
    description: "Gets what a call kept, whole or a range of it, to be saved.",
    parameters: [idOf("artifact"), parameterRef("Range")],
    responses: {
      "200": { description: "The whole.", headers: ofArtifact, content: bytes },
      "206": { description: "The range.", headers: { ...ofArtifact, "Content-Range": headerRef("ContentRange") }, content: bytes },
      ...problemResponses,
    },
  },
  schemas: {},
};

/** Endpoints beside operations and tools, for every caller. */
export const otherEndpoints: readonly Endpoint[] = [resume, cancel, artifact];
