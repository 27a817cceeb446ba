import type { CreateMessageRequestParams, ElicitRequestFormParams } from "@modelcontextprotocol/server";
import { type Capability, type CapabilityProvider, ToolwrightError } from "@toolwright/engine";

/**
 * What a connected client can be asked: its person, its model, its folders; and `tasks`: that it leaves a call that takes long and asks later how
 * it ended.
 */
export type ClientFeature = "elicit" | "sample" | "roots" | "tasks";

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

/** For `createEngine`, where tools declare `client`: a call over MCP has the client that made it; through another door such a tool is refused. */
export const clientCapability: CapabilityProvider<"client"> = {
  name: "client",
  weigh: () => ({ changes: false, openWorld: true }),
  open(_, { tool }) {
    throw new ToolwrightError("effect_refused", `Tool "${tool}" asks the client that calls it, and only a call over MCP has one.`);
  },
};
