import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

/** node official.mjs <url> <2026-07-28 | 2025-11-25> */
const [url, era] = process.argv.slice(2);
const mode = era === "2026-07-28" ? { pin: era } : "legacy";
const client = new Client(
  { name: "official", version: "1" },
  { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode } },
);
client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: { decision: "approve" } }));
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const { tools } = await client.listTools();
const sum = await client.callTool({ name: "add", arguments: { a: 2, b: 3 } });
const paid = await client.callTool({ name: "pay", arguments: { to: "Carol" } });
process.stdout.write(
  `${JSON.stringify({ tools: tools.map(({ name }) => name), sum: sum.structuredContent, paid: paid.structuredContent })}\n`,
);
await client.close();
