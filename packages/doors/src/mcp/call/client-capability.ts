import type { ClientCapabilities, InputRequest } from "@modelcontextprotocol/server";
import { type CapabilityProvider, ToolwrightError } from "@toolwright/engine";
import type { CallConversation } from "./call-conversation.ts";
import "./client-effect.ts";
import type { ClientEffect, ConnectedClient, ElicitAnswer } from "./client-effect.ts";
import { type ClientFeature, supports } from "./client-feature.ts";

/** The client capabilities that are declared by the effect and missing, in MCP's terms; undefined when none is. */
export function missingCapabilities(effect: ClientEffect, capabilities: ClientCapabilities | undefined): ClientCapabilities | undefined {
  const missing: ClientCapabilities = {};
  for (const feature of effect) {
    if (supports(capabilities, feature)) continue;
    if (feature === "elicit") missing.elicitation = { form: {} };
    if (feature === "sample") missing.sampling = {};
    if (feature === "roots") missing.roots = {};
  }
  return Object.keys(missing).length > 0 ? missing : undefined;
}

/** Gives one call its client. */
export function clientCapability(conversation: CallConversation): CapabilityProvider<"client"> {
  return { name: "client", open: (_, { signal }) => connectedClient(conversation, signal) };
}

function connectedClient(conversation: CallConversation, signal: AbortSignal): ConnectedClient {
  const ask = (feature: ClientFeature, key: string | undefined, request: InputRequest) => {
    if (conversation.can(feature)) return conversation.ask(key ?? feature, request, signal);
    throw new ToolwrightError(
      "effect_refused",
      `The connected client does not offer "${feature}". Use a client that does, or call the tool without it.`,
    );
  };
  return {
    can: (feature) => conversation.can(feature),
    async elicit({ key, message, schema }) {
      const params = { mode: "form" as const, message, requestedSchema: schema };
      const answer = await ask("elicit", key, { method: "elicitation/create", params });
      const { action, content } = answer as unknown as ElicitAnswer;
      return { action, content: action === "accept" && content ? content : {} };
    },
    async sample({ key, ...params }) {
      return ask("sample", key, { method: "sampling/createMessage", params });
    },
    async roots(request) {
      const answer = await ask("roots", request?.key, { method: "roots/list", params: {} });
      return answer.roots as Awaited<ReturnType<ConnectedClient["roots"]>>;
    },
  };
}
