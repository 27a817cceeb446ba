import { MultiServerMCPClient } from "@langchain/mcp-adapters";

/** node langchain.mjs <url> */
const [url] = process.argv.slice(2);
const client = new MultiServerMCPClient({ mcpServers: { toolwright: { transport: "http", url } } });
const tools = await client.getTools();
const call = async (name, input) => {
  try {
    return await tools.find((tool) => tool.name === name).invoke(input);
  } catch (error) {
    return String(error);
  }
};
const sum = await call("add", { a: 2, b: 3 });
const paid = await call("pay", { to: "Carol" });
process.stdout.write(`${JSON.stringify({ tools: tools.map(({ name }) => name), sum, paid })}\n`);
await client.close();
