// An agent of LangChain uses the tools of a server over MCP.
import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { beginStory, wish } from "../agent-story.ts";

process.env.LANGCHAIN_TRACING_V2 = "false";
process.env.LANGSMITH_TRACING = "false";
const story = await beginStory();
const model = new ChatOpenAI({ model: "model-1", apiKey: "none", configuration: { baseURL: story.modelUrl } });

// #region agent
const client = new MultiServerMCPClient({ toolwright: { url: story.mcpUrl } });
const agent = createAgent({ model, tools: await client.getTools() });
const { messages } = await agent.invoke({ messages: [{ role: "user", content: wish }] });
// #endregion

await story.approve();

// #region go-on
const last = await agent.invoke({ messages: [...messages, { role: "user", content: "I approved it." }] });
// #endregion
await client.close();
await story.end();
console.log(`agents-langchain: one call ran, one was denied, one waited for a person, and the model says: ${last.messages.at(-1)?.text}`);
