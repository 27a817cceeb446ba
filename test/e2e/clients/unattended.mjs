import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

/** node unattended.mjs <url> <declines | throws | empty | nothing>: programs that say they can ask a person, and have none. */
const [url, way] = process.argv.slice(2);
const client = new Client({ name: way, version: "1.0.0" }, { capabilities: { elicitation: {} } });
const handlers = {
  declines: async () => ({ action: "decline" }),
  throws: async () => {
    throw new Error("Nobody is here.");
  },
  empty: async () => ({}),
};
if (handlers[way]) client.setRequestHandler(ElicitRequestSchema, handlers[way]);
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const paid = await client.callTool({ name: "pay", arguments: { to: way } });
process.stdout.write(`${JSON.stringify({ paid: paid.structuredContent ?? paid.content })}\n`);
await client.close();
