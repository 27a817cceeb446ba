import { stdin, stdout } from "node:process";
import type { RequestId, Server } from "@modelcontextprotocol/server";
import { type ServeStdioOptions, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Principal } from "@toolwright/engine";
import { buildServer } from "./build-server.ts";
import type { McpServing } from "./door-options.ts";
import { createDoorParts } from "./door-parts.ts";
import { followChanges } from "./follow-changes.ts";
import { StdioTransport } from "./stdio/stdio-transport.ts";

export interface McpStdioOptions extends McpServing {
  /** Whoever started the process. */
  readonly principal: Principal;
  /** The engine session of the connection. */
  readonly session: string;
  /** Default: standard input and output of the process. */
  readonly transport?: ServeStdioOptions["transport"];
  /** The request that opened the connection, when it was answered before this is called; it comes over the transport all the same. */
  readonly answered?: RequestId | undefined;
}

type Transport = NonNullable<ServeStdioOptions["transport"]>;

/** Opens the engine to the one MCP client at standard input and output, of either era. */
export function serveMcpStdio(options: McpStdioOptions): { close(): Promise<void> } {
  const { principal, session, transport = new StdioTransport({ input: stdin, output: stdout }), answered } = options;
  if (answered !== undefined) keepBack(transport, answered);
  const parts = createDoorParts(options, () => ({ principal, session }));
  const handle = serveStdio(
    ({ era }) => {
      const server = buildServer(parts, era);
      tellClient(server, options, era);
      return server;
    },
    {
      transport,
      onerror: (error) => parts.logger.log("warn", "The connection at standard input reported a problem.", { error: error.message }),
    },
  );
  return {
    async close() {
      parts.conversations.close();
      await parts.tasks.close();
      await handle.close();
    },
  };
}

/** Until the connection ends. A 2025-era client hears of resources it subscribed to from the server itself. */
function tellClient(server: Server, serving: McpServing, era: "legacy" | "modern"): void {
  // Before the client is connected, and after it left, nobody is there to be told.
  const tell = (sent: Promise<void>) => void sent.catch(() => {});
  const stop = followChanges(serving, {
    toolsChanged: () => tell(server.sendToolListChanged()),
    promptsChanged: () => tell(server.sendPromptListChanged()),
    resourcesChanged: () => tell(server.sendResourceListChanged()),
    resourceUpdated: (uri) => era === "modern" && tell(server.sendResourceUpdated({ uri })),
  });
  const before = server.onclose;
  server.onclose = () => {
    stop();
    before?.();
  };
}

/** Lets the first answer to this request go nowhere. */
function keepBack(transport: Transport, id: RequestId): void {
  const send = transport.send.bind(transport);
  let isKept = false;
  transport.send = async (message, options) => {
    if (isKept || "method" in message || message.id !== id) return send(message, options);
    isKept = true;
  };
}
