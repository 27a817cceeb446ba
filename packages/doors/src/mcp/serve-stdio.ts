import { type ServeStdioOptions, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Principal } from "@toolwright/engine";
import { buildServer } from "./build-server.ts";
import type { McpServing } from "./door-options.ts";
import { createDoorParts } from "./door-parts.ts";

export interface McpStdioOptions extends McpServing {
  /** Whoever started the process. */
  readonly principal: Principal;
  /** The engine session of the connection. */
  readonly session: string;
  /** Default: standard input and output of the process. */
  readonly transport?: ServeStdioOptions["transport"];
}

/** Opens the engine to the one MCP client at standard input and output, of either era. */
export function serveMcpStdio(options: McpStdioOptions): { close(): Promise<void> } {
  const { principal, session, transport } = options;
  const parts = createDoorParts(options, () => ({ principal, session }));
  const stops: (() => void)[] = [];
  const handle = serveStdio(
    () => {
      const server = buildServer(parts);
      const tell = (send: () => Promise<void>) => () => void send().catch(() => {});
      const stopTools = options.engine.onChange(tell(() => server.sendToolListChanged()));
      stops.push(stopTools);
      return server;
    },
    {
      ...(transport && { transport }),
      onerror: (error) => parts.logger.log("warn", "The stdio connection reported a problem.", { error: error.message }),
    },
  );
  return {
    async close() {
      for (const stop of stops) stop();
      parts.conversations.close();
      await handle.close();
    },
  };
}
