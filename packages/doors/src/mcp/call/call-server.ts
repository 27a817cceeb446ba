import type { Server } from "@modelcontextprotocol/server";

/** What a call needs of the protocol layer. */
export type CallServer = Pick<
  Server,
  "getClientCapabilities" | "getClientVersion" | "getNegotiatedProtocolVersion" | "projectCallToolResult"
>;
