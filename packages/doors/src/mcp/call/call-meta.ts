/** Where results carry what MCP has no word for. */
export const callMetaKey = "dev.toolwright/call";
/** The extension of MCP 2026-07-28 for calls that a client leaves and asks about later (SEP-2663). */
export const tasksExtension = "io.modelcontextprotocol/tasks";
/** Where `tools/call` carries the key under which it runs once. */
export const idempotencyMetaKey = "dev.toolwright/idempotency-key";
