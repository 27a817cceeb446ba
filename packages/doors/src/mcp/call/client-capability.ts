import type { ClientCapabilities, CreateMessageRequestParams, ElicitRequestFormParams, InputRequest } from "@modelcontextprotocol/server";
import { type Capability, type CapabilityProvider, declareEffectWeight, ToolwrightError } from "@toolwright/engine";
import type { CallConversation } from "./call-conversation.ts";
import { type ClientFeature, supports } from "./client-feature.ts";

export interface ElicitAnswer {
  readonly action: "accept" | "decline" | "cancel";
  /** What the person entered; the client sent it: check it. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** The client that called the tool. Every method rejects with `effect_refused` when the client cannot do it. */
export interface ConnectedClient {
  can(feature: ClientFeature): boolean;
  /** Asks the person at the client. */
  elicit(request: {
    readonly key?: string;
    readonly message: string;
    readonly schema: ElicitRequestFormParams["requestedSchema"];
  }): Promise<ElicitAnswer>;
  /** Asks the client's model; resolves with the `sampling/createMessage` result. */
  sample(request: CreateMessageRequestParams & { readonly key?: string }): Promise<Readonly<Record<string, unknown>>>;
  roots(request?: { readonly key?: string }): Promise<readonly { readonly uri: string; readonly name?: string }[]>;
}

/** The features without which the tool cannot run; the handle may also offer others. `client: []` needs none. */
export type ClientEffect = readonly ClientFeature[];

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    client: Capability<ClientEffect, ConnectedClient>;
  }
}

declareEffectWeight("client", () => ({ changes: false, openWorld: true }));

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
