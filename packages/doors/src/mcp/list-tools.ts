import type { ServerContext } from "@modelcontextprotocol/server";
import type { DoorParts } from "./door-parts.ts";
import { pageTools, type ToolPage } from "./page-tools.ts";
import { listWireTools } from "./wire-tools.ts";

/** One `tools/list` request, whoever reads it from the wire. */
export function listTools(cursor: string | undefined, ctx: ServerContext, parts: DoorParts): ToolPage {
  return pageTools(listWireTools(parts.scopeOf(ctx)), cursor);
}
