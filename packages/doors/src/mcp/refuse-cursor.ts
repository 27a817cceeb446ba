import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** All lists but that of tools come whole, so no cursor was ever given out. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor. This list is not paged; ask without one.");
}
