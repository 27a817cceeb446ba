/** Where results carry what MCP has no word for. */
export const callMetaKey = "dev.toolwright/call";
