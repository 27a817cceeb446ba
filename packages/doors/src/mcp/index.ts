export { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server";
export { type Authentication, openAccess, tokenAccess } from "./authentication.ts";
export { callMetaKey } from "./call-meta.ts";
export type { ClientEffect, ClientFeature, ConnectedClient, ElicitAnswer } from "./client-capability.ts";
export type { McpCompleter, McpDoorOptions, McpPrompts, McpResources, McpServing, PromptRequest } from "./door-options.ts";
export { wireForms } from "./error-wire.ts";
export { createMcpDoor, type McpDoor } from "./mcp-door.ts";
export { type OAuthAccessOptions, oauthAccess } from "./oauth-access.ts";
export { type McpStdioOptions, serveMcpStdio } from "./serve-stdio.ts";
