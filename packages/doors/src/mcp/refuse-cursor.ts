import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** Lists come whole, so no cursor was ever given out. */
export function refuseCursor(cursor: string | undefined): void {
  if (cursor !== undefined)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor. Lists are not paged here; ask without one.");
}
