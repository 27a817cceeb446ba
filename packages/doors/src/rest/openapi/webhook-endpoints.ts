import type { JsonObject } from "@toolwright/engine";
import { type Endpoint, jsonContent } from "./endpoint.ts";
import { clientProblem, problemResponses, schemaRef } from "./shared-components.ts";

const hook: JsonObject = { name: "hook", in: "path", required: true, description: "Id of the hook.", schema: { type: "string" } };

const parameter = (place: "header" | "query", name: string, description: string, schema: JsonObject = {}): JsonObject => ({
  ...{ name, in: place, description },
  schema: { type: "string", ...schema },
});

/** Who sends has no credentials. */
const { "401": _, ...problems } = problemResponses;
const unknown = { "404": clientProblem("There is no such hook, or its secret did not sign the request: they are answered alike.") };

const receive: Endpoint = {
  method: "post",
  path: "/hooks/{hook}",
  tag: "hooks",
  operation: {
    operationId: "hooks.receive",
    tags: ["hooks"],
    summary: "Send a webhook to a hook",
    description:
      "Takes a webhook that the secret of the hook signed, as Standard Webhooks 1.0.0 or as the hook's channel has it, and answers before the agent does. It needs no key. The body has at most 1 MB.",
    security: [],
    parameters: [
      hook,
      parameter("header", "webhook-id", "The same each time that it is sent: it begins one job."),
      parameter("header", "webhook-timestamp", "When it was signed, in seconds since the epoch: at most five minutes ago.", {
        pattern: "^\\d+$",
      }),
      parameter("header", "webhook-signature", "`v1,` and base64 of HMAC-SHA256 over id, timestamp and body; several with spaces between."),
      parameter(
        "header",
        "x-hub-signature-256",
        "In place of those three, for the channel `whatsapp`: `sha256=` and HMAC-SHA256 over the body.",
        {
          pattern: "^sha256=[0-9a-f]{64}$",
        },
      ),
    ],
    requestBody: { required: true, content: jsonContent({ description: "What the agent reads" }) },
    responses: {
      "202": {
        description:
          "The message is in the store; a webhook that came before has the job that it began. Without a job there is nothing to answer.",
        content: jsonContent(schemaRef("hooks.receive.output")),
      },
      "400": clientProblem("It was not signed within the last five minutes, or the body is not JSON."),
      ...unknown,
      "409": clientProblem("A webhook with this id and another body came before."),
      "413": clientProblem("The body is larger than 1 MB."),
      ...problems,
    },
  },
  schemas: {
    "hooks.receive.output": {
      type: "object",
      properties: { job: { type: "string", description: "Id of the job in which the agent answers" } },
    },
  },
};

const confirm: Endpoint = {
  method: "get",
  path: "/hooks/{hook}",
  tag: "hooks",
  operation: {
    operationId: "hooks.confirm",
    tags: ["hooks"],
    summary: "Confirm the address of a hook",
    description: "Answers the question that the Cloud API of WhatsApp asks before it sends webhooks. It needs no key.",
    security: [],
    parameters: [
      hook,
      parameter("query", "hub.mode", "`subscribe`"),
      parameter("query", "hub.verify_token", "The id of the hook."),
      parameter("query", "hub.challenge", "What the answer repeats: letters, digits and `_`.", { pattern: "^\\w{1,200}$" }),
    ],
    responses: {
      "200": { description: "The challenge.", content: { "text/plain": { schema: { type: "string" } } } },
      ...unknown,
      ...problems,
    },
  },
  schemas: {},
};

/** Where others send webhooks, which they sign. */
export const webhookEndpoints: readonly Endpoint[] = [receive, confirm];
