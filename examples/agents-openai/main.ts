// An agent of the OpenAI Agents SDK uses the tools of a server over MCP.
import { beginStory, wish } from "../agent-story.ts";

process.env.OPENAI_AGENTS_DISABLE_TRACING = "1";
const { Agent, MCPServerStreamableHttp, OpenAIProvider, Runner } = await import("@openai/agents");
const story = await beginStory();
const modelProvider = new OpenAIProvider({ baseURL: story.modelUrl, apiKey: "none", useResponses: false });

// #region agent
const mcp = new MCPServerStreamableHttp({ url: story.mcpUrl });
await mcp.connect();
const agent = new Agent({ name: "Clerk", model: "model-1", mcpServers: [mcp] });
const runner = new Runner({ modelProvider });
const { history } = await runner.run(agent, wish);
// #endregion

await story.approve();

// #region go-on
const { finalOutput } = await runner.run(agent, [...history, { role: "user", content: "I approved it." }]);
// #endregion
await mcp.close();
await story.end();
console.log(`agents-openai: one call ran, one was denied, one waited for a person, and the model says: ${finalOutput}`);
