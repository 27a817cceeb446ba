/** Where results carry what MCP has no word for. */
export const callMetaKey = "dev.toolwright/call";
/** Where `tools/call` carries the key under which it runs once. */
export const idempotencyMetaKey = "dev.toolwright/idempotency-key";
