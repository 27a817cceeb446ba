import type { ClientCapabilities } from "@modelcontextprotocol/server";

/** What a connected client can be asked: its person, its model, its folders. */
export type ClientFeature = "elicit" | "sample" | "roots";

const capabilityOf: Record<ClientFeature, (capabilities: ClientCapabilities) => object | undefined> = {
  elicit: ({ elicitation }) => (elicitation && (elicitation.form || !elicitation.url) ? elicitation : undefined),
  sample: ({ sampling }) => sampling,
  roots: ({ roots }) => roots,
};

export function supports(capabilities: ClientCapabilities | undefined, feature: ClientFeature): boolean {
  return capabilities !== undefined && capabilityOf[feature](capabilities) !== undefined;
}
