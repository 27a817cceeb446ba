import { ProtocolError, ProtocolErrorCode, type Server, type ServerContext, type Tool } from "@modelcontextprotocol/server";
import type { DoorParts } from "./door-parts.ts";
import { hasViewApps } from "./view-apps.ts";
import { listWireTools } from "./wire-tools.ts";

/** Tools on one page: some clients refuse or cut longer lists. */
const toolsPerPage = 200;

interface ListRequest {
  readonly cursor: string | undefined;
  /** The server of the session, where there is one. */
  readonly server?: Pick<Server, "getClientCapabilities">;
}

/** The answer to `tools/list`, whichever way it came. */
export function listTools(parts: DoorParts, ctx: ServerContext, { cursor, server }: ListRequest) {
  return pageTools(listWireTools(parts.scopeOf(ctx), { withApps: hasViewApps(parts, ctx, server) }), cursor);
}

/**
 * One page of a list that is sorted by name. A cursor names the last tool of the page before, so a tool that comes or goes between two pages neither
 * repeats nor hides another one.
 */
export function pageTools(tools: readonly Tool[], cursor: string | undefined): { tools: Tool[]; nextCursor?: string } {
  const last = cursor === undefined ? undefined : readCursor(cursor);
  const rest = last === undefined ? tools : tools.filter(({ name }) => name > last);
  const page = rest.slice(0, toolsPerPage);
  const end = page.at(-1);
  return rest.length > page.length && end ? { tools: page, nextCursor: writeCursor(end.name) } : { tools: page };
}

const writeCursor = (name: string) => Buffer.from(`after ${name}`).toString("base64url");

function readCursor(cursor: string): string {
  const name = /^after ([a-z][a-z0-9_-]{0,63})$/.exec(Buffer.from(cursor, "base64url").toString())?.[1];
  if (name !== undefined && writeCursor(name) === cursor) return name;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor. Start the list again without a cursor.");
}
