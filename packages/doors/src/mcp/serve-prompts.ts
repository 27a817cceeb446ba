import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import type { McpCompleter, McpPrompts } from "./door-options.ts";
import type { DoorParts } from "./door-parts.ts";
import { refuseCursor } from "./refuse-cursor.ts";

export function servePrompts(server: Server, parts: DoorParts, prompts: McpPrompts): void {
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

export function serveCompletions(server: Server, parts: DoorParts, complete: McpCompleter): void {
  server.setRequestHandler("completion/complete", async ({ params }, ctx) => ({
    completion: await complete(params, parts.callerOf(ctx).principal),
  }));
}
