import { PROTOCOL_VERSION_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { CallerTrace } from "@toolwright/engine/ports";

/** What the trace of a call goes on from: `traceparent` and `tracestate` of `_meta`, as W3C Trace Context writes them. */
export function traceOf(
  meta: Readonly<Record<string, unknown>> | undefined,
  ctx: ServerContext,
  server: Pick<Server, "getNegotiatedProtocolVersion">,
): CallerTrace {
  const { traceparent, tracestate } = meta ?? {};
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  const version = envelope?.[PROTOCOL_VERSION_META_KEY] ?? server.getNegotiatedProtocolVersion();
  const context = typeof traceparent === "string" && { traceparent, ...(typeof tracestate === "string" && { tracestate }) };
  return {
    ...(context && { context }),
    attributes: { "mcp.method.name": "tools/call", ...(typeof version === "string" && { "mcp.protocol.version": version }) },
  };
}
