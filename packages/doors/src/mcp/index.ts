export { OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server";
export { type Authentication, type HashedToken, openAccess, tokenAccess } from "../http/authentication.ts";
export { callMetaKey } from "./call/call-meta.ts";
export { wireForms } from "./call/error-wire.ts";
export { type ClientEffect, type ClientFeature, type ConnectedClient, clientCapability, type ElicitAnswer } from "./client.ts";
export type { McpCompleter, McpDoorOptions, McpPrompts, McpResources, McpServing, PromptRequest } from "./door-options.ts";
export { createMcpDoor, type McpDoor } from "./http/mcp-door.ts";
export { type OAuthAccessOptions, oauthAccess } from "./http/oauth-access.ts";
export { type McpStdioOptions, serveMcpStdio } from "./serve-stdio.ts";
