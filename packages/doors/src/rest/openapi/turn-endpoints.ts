import type { JsonObject } from "@toolwright/engine";
import { withAttachments } from "./call-endpoints.ts";
import { type Endpoint, jsonContent } from "./endpoint.ts";
import { headerRef, parameterRef, problemResponses, schemaRef } from "./shared-components.ts";

const inPath = (name: string, description: string): JsonObject => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string" },
});

const stream: JsonObject = {
  "text/event-stream": {
    schema: {
      type: "string",
      description:
        "The AI SDK's UI message stream v1: `data` is a chunk, `id` the position of what it begins, and `data: [DONE]` the end. What is there comes first, then what happens.",
    },
  },
};

const begin: Endpoint = {
  method: "post",
  path: "/agents/{agent}/turns",
  tag: "turns",
  operation: {
    operationId: "turns.begin",
    tags: ["turns"],
    summary: "Send a message to an agent",
    description:
      "Begins a turn of the agent, or hands the message to the one that runs in the conversation, and streams that turn. With `Prefer: respond-async` it answers with the turn. The turn goes on when the client leaves.",
    parameters: [
      inPath("agent", "Name of the agent."),
      ...["IdempotencyKey", "Prefer", "Session", "Traceparent", "Tracestate"].map(parameterRef),
    ],
    requestBody: {
      required: true,
      content: { ...jsonContent(schemaRef("turns.begin.input")), ...withAttachments(schemaRef("turns.begin.input")) },
    },
    responses: {
      "200": { description: "The turn, as it happens.", content: stream },
      "202": {
        description: "The turn that has the message; or the call waits for a person before it begins one.",
        headers: { Location: headerRef("ApprovalOrRun"), "Preference-Applied": headerRef("PreferenceApplied") },
        content: jsonContent({ oneOf: [schemaRef("turns.get.output"), schemaRef("PendingResult")] }),
      },
      ...problemResponses,
    },
  },
  schemas: {
    "turns.begin.input": {
      type: "object",
      properties: {
        message: { type: "string", description: "What the agent is to do or to answer" },
        conversation: { type: "string", description: "Conversation to go on with; a new one where it is left out" },
        attachments: {
          type: "array",
          items: { type: "string" },
          description: "Ids of artifacts that go with the message. Files of a form go with it, too",
        },
        interrupt: {
          type: "boolean",
          description: "True stops the turn that runs in the conversation; else the message waits for its next step",
        },
      },
      required: ["message"],
    },
  },
};

const watch: Endpoint = {
  method: "get",
  path: "/turns/{id}/stream",
  tag: "turns",
  operation: {
    operationId: "turns.stream",
    tags: ["turns"],
    summary: "Watch a turn as a UI message stream",
    description: "Streams a turn for `useChat` of the AI SDK: what is there first, then what happens, until the turn ends.",
    parameters: [
      inPath("id", "Id of the turn."),
      { name: "after", in: "query", description: "Position after which to begin; default 0.", schema: { type: "integer", minimum: 0 } },
      parameterRef("LastEventId"),
    ],
    responses: { "200": { description: "The turn, as it happens.", content: stream }, ...problemResponses },
  },
  schemas: {},
};

/** Endpoints of turns, for callers who may begin one. */
export const turnEndpoints: readonly Endpoint[] = [begin, watch];
