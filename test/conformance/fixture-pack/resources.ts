import type { McpResources } from "@toolwright/doors/mcp";
import { png } from "./samples.ts";

const text = { uri: "test://static-text", name: "static-text", description: "A text that stays the same.", mimeType: "text/plain" };
const binary = { uri: "test://static-binary", name: "static-binary", description: "An image that stays the same.", mimeType: "image/png" };
const watched = {
  uri: "test://watched-resource",
  name: "watched-resource",
  description: "A resource to subscribe to.",
  mimeType: "text/plain",
};
const templated = /^test:\/\/template\/([^/]+)\/data$/;

export const fixtureResources: McpResources = {
  list: async () => [text, binary, watched],
  templates: async () => [
    { uriTemplate: "test://template/{id}/data", name: "template", description: "Data by id.", mimeType: "application/json" },
  ],
  async read(uri) {
    if (uri === text.uri) return { contents: [{ uri, mimeType: text.mimeType, text: "This is the content of the static text resource." }] };
    if (uri === binary.uri) return { contents: [{ uri, mimeType: binary.mimeType, blob: png }] };
    if (uri === watched.uri) return { contents: [{ uri, mimeType: watched.mimeType, text: "Watched." }] };
    const id = templated.exec(uri)?.[1];
    if (id === undefined) return undefined;
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [{ uri, mimeType: "application/json", text: data }] };
  },
  onUpdated: () => () => {},
};
