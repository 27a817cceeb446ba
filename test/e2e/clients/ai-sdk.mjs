import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";

/** node ai-sdk.mjs <url> */
const [url] = process.argv.slice(2);
const client = await createMCPClient({ transport: { type: "http", url }, capabilities: { elicitation: { form: {} } } });
client.onElicitationRequest(ElicitationRequestSchema, async () => ({ action: "accept", content: { decision: "approve" } }));
const tools = await client.tools();
const call = (name, input) => tools[name].execute(input, { toolCallId: name, messages: [] });
const sum = await call("add", { a: 2, b: 3 });
const paid = await call("pay", { to: "Carol" });
process.stdout.write(
  `${JSON.stringify({ tools: Object.keys(tools), sum: sum.structuredContent, paid: paid.structuredContent ?? paid.content })}\n`,
);
await client.close();
