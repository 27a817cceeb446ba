import { Server, type ServerCapabilities } from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { callTool } from "./call/call-tool.ts";
import type { McpServing } from "./door-options.ts";
import type { DoorParts } from "./door-parts.ts";
import { listTools } from "./page-tools.ts";
import { serveCompletions, servePrompts } from "./serve-prompts.ts";
import { serveResources } from "./serve-resources.ts";
import { serverInstructions } from "./server-instructions.ts";

/** Shared: every server would make one of its own otherwise. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** One protocol server over the parts: for one request of 2026-07-28, or for one session of an older client. */
export function buildServer(parts: DoorParts): Server {
  const { serving, seal, answerTtlMs } = parts;
  const server = new Server(serving.serverInfo, {
    capabilities: capabilitiesOf(serving),
    instructions: serving.instructions ?? serverInstructions,
    jsonSchemaValidator,
    requestState: { verify: (text, ctx) => seal.verify(text, ctx) },
    inputRequired: { roundTimeoutMs: answerTtlMs },
  });
  server.onerror = (error) => parts.logger.log("debug", "The MCP protocol layer reported a problem.", { error: error.message });
  server.setRequestHandler("tools/list", ({ params }, ctx) => {
    return listTools(parts, ctx, params?.cursor);
  });
  server.setRequestHandler("tools/call", (request, ctx) => callTool(request, ctx, { server, parts }));
  serveResources(server, parts);
  if (serving.prompts) servePrompts(server, parts, serving.prompts);
  if (serving.complete) serveCompletions(server, parts, serving.complete);
  return server;
}

function capabilitiesOf({ prompts, resources, complete }: McpServing): ServerCapabilities {
  return {
    logging: {},
    tools: { listChanged: true },
    resources: { listChanged: resources?.onListChanged !== undefined, subscribe: resources?.onUpdated !== undefined },
    ...(prompts && { prompts: { listChanged: prompts.onListChanged !== undefined } }),
    ...(complete && { completions: {} }),
  };
}
