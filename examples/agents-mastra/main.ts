// An agent of Mastra uses the tools of a server over MCP.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { beginStory, wish } from "../agent-story.ts";

process.env.MASTRA_TELEMETRY_DISABLED = "1";
const { Agent } = await import("@mastra/core/agent");
const { MCPClient } = await import("@mastra/mcp");
const story = await beginStory({ prefix: "toolwright_" });
const provider = createOpenAICompatible({ name: "scripted", baseURL: story.modelUrl });

// #region agent
const mcp = new MCPClient({ servers: { toolwright: { url: new URL(story.mcpUrl) } } });
const agent = new Agent({
  id: "clerk",
  name: "Clerk",
  instructions: "Use the tools.",
  model: provider("model-1"),
  tools: await mcp.listTools(),
});
const { response } = await agent.generate(wish);
// #endregion

await story.approve();

// #region go-on
const { text } = await agent.generate([...(response.messages ?? []), { role: "user", content: "I approved it." }]);
// #endregion
await mcp.disconnect();
await story.end();
console.log(`agents-mastra: one call ran, one was denied, one waited for a person, and the model says: ${text}`);
