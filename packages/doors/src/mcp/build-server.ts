import { ProtocolError, ProtocolErrorCode, Server, type ServerCapabilities } from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { tasksExtension } from "./call/call-meta.ts";
import { callTool } from "./call/call-tool.ts";
import type { McpCompleter, McpPrompts, McpServing } from "./door-options.ts";
import type { DoorParts } from "./door-parts.ts";
import { explainFault } from "./explain-fault.ts";
import { listTools } from "./page-tools.ts";
import { refuseCursor } from "./refuse-cursor.ts";
import { serveResources } from "./serve-resources.ts";
import { serverInstructions } from "./server-instructions.ts";
import { serveTasks } from "./tasks/serve-tasks.ts";

/** Shared: every server would make one of its own otherwise. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** The era of a client: `modern` from 2026-07-28 on. */
export type Era = "legacy" | "modern";

/** One protocol server over the parts: for one request of 2026-07-28, or for one session of an older client. */
export function buildServer(parts: DoorParts, era: Era): Server {
  const { serving, seal, answerTtlMs } = parts;
  const server = new DoorServer(serving.serverInfo, {
    capabilities: { ...capabilitiesOf(serving), ...(era === "modern" && { extensions: { [tasksExtension]: {} } }) },
    instructions: serving.instructions ?? serverInstructions,
    jsonSchemaValidator,
    requestState: { verify: (text, ctx) => seal.verify(text, ctx) },
    inputRequired: { roundTimeoutMs: answerTtlMs },
  });
  server.onerror = (error) => parts.logger.log("debug", "The MCP protocol layer reported a problem.", { error: error.message });
  server.setRequestHandler("tools/list", ({ params }, ctx) => {
    return listTools(parts, ctx, { cursor: params?.cursor, server });
  });
  server.setRequestHandler("tools/call", (request, ctx) => callTool(request, ctx, { server, parts }));
  if (era === "modern") serveTasks(server, parts);
  serveResources(server, parts);
  if (serving.prompts) servePrompts(server, parts, serving.prompts);
  if (serving.complete) serveCompletions(server, parts, serving.complete);
  return server;
}

type WrapHandler = Server["_wrapHandler"];

/**
 * The protocol layer gives each answer to `tools/call` content; the one that names a task has none (SEP-2663, `CreateTaskResult`). What does not
 * fit its schemas it answers with their findings as JSON; here they are words.
 */
class DoorServer extends Server {
  protected override _wrapHandler(method: string, handler: Parameters<WrapHandler>[1]): ReturnType<WrapHandler> {
    const wrapped = super._wrapHandler(method, handler);
    return async (request, ctx) => {
      try {
        const result = await wrapped(request, ctx);
        if (method !== "tools/call" || result.resultType !== "task") return result;
        const { content: _, ...task } = result;
        return task;
      } catch (error) {
        throw explainFault(method, error);
      }
    };
  }
}

function servePrompts(server: Server, parts: DoorParts, prompts: McpPrompts): void {
  server.setRequestHandler("prompts/list", async ({ params }, ctx) => {
    refuseCursor(params?.cursor);
    return { prompts: [...(await prompts.list(parts.callerOf(ctx).principal))] };
  });
  server.setRequestHandler("prompts/get", async ({ params }, ctx) => {
    const { inputResponses } = ctx.mcpReq;
    const found = await prompts.get(
      { name: params.name, arguments: params.arguments ?? {}, inputResponses },
      parts.callerOf(ctx).principal,
    );
    if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name.slice(0, 128)}`);
    return found;
  });
}

function serveCompletions(server: Server, parts: DoorParts, complete: McpCompleter): void {
  server.setRequestHandler("completion/complete", async ({ params }, ctx) => ({
    completion: await complete(params, parts.callerOf(ctx).principal),
  }));
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
