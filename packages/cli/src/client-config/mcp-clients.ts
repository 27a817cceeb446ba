import { join } from "node:path";
import type { ConfigFormat, Members } from "./config-format.ts";
import { jsonConfig } from "./json-config.ts";
import { tomlConfig } from "./toml-config.ts";

/** For everybody who uses this account, or for whoever works in one folder. */
export type ClientScope = "user" | "project";
export const clientScopes: readonly ClientScope[] = ["user", "project"];

/** A server over HTTP. The configuration names the variable that holds the token, never the token. */
export interface HttpConnection {
  readonly url: string;
  readonly tokenVariable: string | undefined;
}

/** A server that the client starts. */
export interface StdioConnection {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables by value. */
  readonly values: Readonly<Record<string, string>>;
  /** Variables that may hold a secret: the client passes on what it has itself. */
  readonly references: readonly string[];
}

/** What decides where the files of a client are. */
export interface ClientEnvironment {
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  /** Undefined for a variable that is unset or empty. */
  env(name: string): string | undefined;
}

/** All that is known of a client: each declares its own answers. */
export interface McpClient {
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  readonly format: ConfigFormat;
  /** The member of its configuration that holds servers by name. */
  readonly section: string;
  /** The first that is there is edited, else the first is made. */
  files(scope: ClientScope, place: ClientEnvironment): readonly [string, ...string[]];
  http(connection: HttpConnection): Members;
  stdio(connection: StdioConnection): Members;
  /** What a person does to sign in at a server that asks for it. */
  readonly signIn: string;
  /** What a server that is missing means to this client. */
  readonly whenMissing?: string;
}

/** A call may wait for a person, and a command may run for minutes: clients' own limits are 5 to 60 seconds. */
const toolSeconds = 600;
const startSeconds = 60;

const headersOf = (tokenVariable: string | undefined, reference: (name: string) => string) =>
  tokenVariable === undefined ? {} : { headers: { Authorization: `Bearer ${reference(tokenVariable)}` } };

function environmentOf<Name extends string>(
  member: Name,
  { values, references }: StdioConnection,
  reference: (name: string) => string,
): Partial<Record<Name, Members>> {
  const all = { ...values, ...Object.fromEntries(references.map((name) => [name, reference(name)])) };
  return Object.keys(all).length === 0 ? {} : ({ [member]: all } as Partial<Record<Name, Members>>);
}

const shellReference = (name: string) => `\${${name}}`;
const editorReference = (name: string) => `\${env:${name}}`;

const codexLimits = { required: true, startup_timeout_sec: startSeconds, tool_timeout_sec: toolSeconds };

const codex: McpClient = {
  name: "codex",
  title: "Codex",
  format: tomlConfig,
  section: "mcp_servers",
  files: (scope, { cwd, home, env }) => [
    join(scope === "user" ? (env("CODEX_HOME") ?? join(home, ".codex")) : join(cwd, ".codex"), "config.toml"),
  ],
  http: ({ url, tokenVariable }) => ({ url, ...(tokenVariable !== undefined && { bearer_token_env_var: tokenVariable }), ...codexLimits }),
  stdio: ({ command, args, values, references }) => ({
    command,
    args,
    ...(references.length > 0 && { env_vars: references }),
    ...codexLimits,
    ...(Object.keys(values).length > 0 && { env: values }),
  }),
  signIn: "codex mcp login toolwright",
  whenMissing: "Codex does not start without the server (required = true).",
};

// Without alwaysLoad a first turn begins before the server has listed its tools, and later ones search for each of them.
const claudeLimits = { timeout: toolSeconds * 1000, alwaysLoad: true };

const claude: McpClient = {
  name: "claude",
  title: "Claude Code",
  format: jsonConfig,
  section: "mcpServers",
  files: (scope, { cwd, home, env }) => [
    scope === "user" ? join(env("CLAUDE_CONFIG_DIR") ?? home, ".claude.json") : join(cwd, ".mcp.json"),
  ],
  http: ({ url, tokenVariable }) => ({ type: "http", url, ...headersOf(tokenVariable, shellReference), ...claudeLimits }),
  stdio: (connection) => ({
    type: "stdio",
    command: connection.command,
    args: connection.args,
    ...environmentOf("env", connection, shellReference),
    ...claudeLimits,
  }),
  signIn: "in Claude Code: /mcp",
};

const gemini: McpClient = {
  name: "gemini",
  title: "Gemini CLI",
  format: jsonConfig,
  section: "mcpServers",
  files: (scope, { cwd, home, env }) => [join(scope === "user" ? (env("GEMINI_CLI_HOME") ?? home) : cwd, ".gemini", "settings.json")],
  http: ({ url, tokenVariable }) => ({ type: "http", url, ...headersOf(tokenVariable, shellReference), timeout: toolSeconds * 1000 }),
  stdio: (connection) => ({
    command: connection.command,
    args: connection.args,
    ...environmentOf("env", connection, shellReference),
    timeout: toolSeconds * 1000,
  }),
  signIn: "in Gemini CLI: /mcp auth toolwright",
};

const openCodeReference = (name: string) => `{env:${name}}`;

const opencode: McpClient = {
  name: "opencode",
  title: "opencode",
  format: jsonConfig,
  section: "mcp",
  files(scope, { cwd, home, env }) {
    const folder = scope === "user" ? join(env("XDG_CONFIG_HOME") ?? join(home, ".config"), "opencode") : cwd;
    return [join(folder, "opencode.json"), join(folder, "opencode.jsonc")];
  },
  http: ({ url, tokenVariable }) => ({
    type: "remote",
    url,
    ...headersOf(tokenVariable, openCodeReference),
    enabled: true,
    timeout: toolSeconds * 1000,
  }),
  stdio: (connection) => ({
    type: "local",
    command: [connection.command, ...connection.args],
    ...environmentOf("environment", connection, openCodeReference),
    enabled: true,
    timeout: toolSeconds * 1000,
  }),
  signIn: "opencode mcp auth toolwright",
};

const cursor: McpClient = {
  name: "cursor",
  title: "Cursor",
  format: jsonConfig,
  section: "mcpServers",
  files: (scope, { cwd, home }) => [join(scope === "user" ? home : cwd, ".cursor", "mcp.json")],
  http: ({ url, tokenVariable }) => ({ url, ...headersOf(tokenVariable, editorReference) }),
  stdio: (connection) => ({
    type: "stdio",
    command: connection.command,
    args: connection.args,
    ...environmentOf("env", connection, editorReference),
  }),
  signIn: "Cursor opens the browser when it connects",
};

const vscode: McpClient = {
  name: "vscode",
  title: "VS Code",
  format: jsonConfig,
  section: "servers",
  files: (scope, place) => [join(scope === "user" ? codeFolder(place) : join(place.cwd, ".vscode"), "mcp.json")],
  http: ({ url, tokenVariable }) => ({ type: "http", url, ...headersOf(tokenVariable, editorReference) }),
  stdio: (connection) => ({
    type: "stdio",
    command: connection.command,
    args: connection.args,
    ...environmentOf("env", connection, editorReference),
  }),
  signIn: "VS Code opens the browser when it connects",
};

/** The default profile's. */
function codeFolder({ home, platform, env }: ClientEnvironment): string {
  if (platform === "darwin") return join(home, "Library", "Application Support", "Code", "User");
  if (platform === "win32") return join(env("APPDATA") ?? join(home, "AppData", "Roaming"), "Code", "User");
  return join(env("XDG_CONFIG_HOME") ?? join(home, ".config"), "Code", "User");
}

export const mcpClients: readonly McpClient[] = [codex, claude, gemini, opencode, cursor, vscode];
