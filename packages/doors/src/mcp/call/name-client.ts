import { CLIENT_INFO_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { visibleText } from "@toolwright/engine/ports";

/** Characters of the name and of the version that are shown: a client chooses both. */
const longest = 80;

/** What the client calls itself, for the log and for people; it proves nothing. */
export function nameClient(ctx: ServerContext, server: Pick<Server, "getClientVersion">): string {
  const envelope: Readonly<Record<string, unknown>> | undefined = ctx.mcpReq.envelope;
  const info = (envelope?.[CLIENT_INFO_META_KEY] ?? server.getClientVersion()) as { name?: unknown; version?: unknown } | undefined;
  const parts = [info?.name, info?.version].flatMap((part) => (typeof part === "string" && part !== "" ? part.slice(0, longest) : []));
  return parts.length === 0 ? "without a name" : visibleText(parts.join(" "));
}
