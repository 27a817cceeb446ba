import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Settings } from "@toolwright/server/settings";
import { readServerRecord } from "@toolwright/server/state";
import { loadsAll } from "@toolwright/server/trust";
import { CliError } from "../cli-error.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { programFile } from "../program-file.ts";
import type { CommonOptions } from "../settings.ts";
import { askServer } from "./ask-server.ts";
import type { HttpConnection, McpClient, StdioConnection } from "./mcp-clients.ts";

export interface ConnectionOptions extends CommonOptions {
  readonly url?: string;
  readonly stdio?: boolean;
  readonly tokenEnv?: string;
}

export type Connection = ({ readonly transport: "http" } & HttpConnection) | ({ readonly transport: "stdio" } & StdioConnection);

/** How a client gets to the tools, and what its user should know of that. */
export interface ChosenConnection {
  readonly connection: Connection;
  readonly notes: readonly string[];
}

/** Over HTTP where a server is named or runs here, else by a process that the client starts. */
export async function chooseConnection(
  client: McpClient,
  io: Io,
  { options, settings }: { readonly options: ConnectionOptions; readonly settings: Settings },
): Promise<ChosenConnection> {
  if (options.url !== undefined && options.stdio) throw new CliError("--url and --stdio exclude each other. Leave one of them out.");
  if (options.tokenEnv !== undefined && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(options.tokenEnv))
    throw new CliError(`--token-env takes the name of a variable, such as TOOLWRIGHT_TOKEN, and not the token itself.`);
  if (options.url !== undefined) return connectTo(client, io, { url: readUrl(options.url), options });
  if (options.stdio) return startOne(client, io, { settings, why: undefined });
  const record = readServerRecord(settings.state);
  if (record === undefined) return startOne(client, io, { settings, why: "No server runs here" });
  if (isOther(record.workspace, settings, options))
    return startOne(client, io, { settings, why: `The server at ${record.url} runs with another workspace, tools or policy` });
  const access = await askServer(`${record.listens}/mcp`, io);
  if (access === undefined) return startOne(client, io, { settings, why: `The server at ${record.url} does not answer` });
  return httpConnection(client, { url: record.url, options, access });
}

/** What a command line names is meant to hold; a server that runs has its own. */
const isOther = (workspace: string, settings: Settings, { workspace: named, tools, policy }: CommonOptions) =>
  tools !== undefined || policy !== undefined || (named !== undefined && workspace !== settings.workspace);

function readUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new CliError(`--url is "${given}", which is no http or https address. Write it as http://127.0.0.1:7777/mcp.`);
  if (url.username || url.password || url.search)
    throw new CliError(
      "--url holds a user name, a password or a query, which would stand in the client's configuration for everybody to read. Leave that out, and name the variable that holds a token with --token-env.",
    );
  if (url.pathname === "/") url.pathname = "/mcp";
  return url.href;
}

async function connectTo(client: McpClient, io: Io, { url, options }: { readonly url: string; readonly options: ConnectionOptions }) {
  const access = await askServer(url, io);
  if (access !== undefined) return httpConnection(client, { url, options, access });
  throw new CliError(`No MCP server answers at ${url}. Nothing was written; start it first: toolwright serve`, {
    exitCode: exitCodes.unavailable,
  });
}

function httpConnection(
  client: McpClient,
  { url, options, access }: { readonly url: string; readonly options: ConnectionOptions; readonly access: "open" | "token" | "sign-in" },
): ChosenConnection {
  const tokenVariable = options.tokenEnv ?? (access === "token" ? "TOOLWRIGHT_TOKEN" : undefined);
  const asksForSignIn = access === "sign-in" && tokenVariable === undefined;
  return {
    connection: { transport: "http", url, tokenVariable },
    notes: [
      ...(tokenVariable === undefined
        ? []
        : [`Set ${tokenVariable} where ${client.title} starts: the file names the variable and holds no token.`]),
      ...(asksForSignIn ? [`The server asks people to sign in: ${client.signIn}`] : []),
      ...(client.whenMissing === undefined ? [] : [client.whenMissing]),
    ],
  };
}

function startOne(
  client: McpClient,
  io: Io,
  { settings, why }: { readonly settings: Settings; readonly why: string | undefined },
): ChosenConnection {
  const { values, references } = environmentFor(io, settings);
  const args = [programFile, "mcp", "--workspace", settings.workspace, ...toolsArgument(settings), ...policyArgument(settings)];
  return {
    connection: { transport: "stdio", command: process.execPath, args, values, references },
    notes: [
      ...(why === undefined
        ? []
        : [`${why}, so ${client.title} starts a process of its own. To share a server, run toolwright serve and install again.`]),
      ...references.map((name) => `Set ${name} where ${client.title} starts: the file names the variable and not what it holds.`),
      ...leftOutTools(settings),
      ...(/[\\/]_npx[\\/]/.test(programFile) ? [`${programFile} lies in a cache that npm empties. Install toolwright to keep it.`] : []),
    ],
  };
}

/** A folder of which everything loads may be named; naming another one would trust it. */
function toolsArgument(settings: Settings): readonly string[] {
  return settings.tools !== undefined && loadsAll(settings) ? ["--tools", settings.tools] : [];
}

function leftOutTools(settings: Settings): readonly string[] {
  const { tools } = settings;
  if (tools === undefined || !existsSync(tools) || loadsAll(settings)) return [];
  return [`The tools of ${tools} are left out. To load all that is put there, install with --tools ${tools}`];
}

function policyArgument({ policyFile, policyPlaces }: Settings): readonly string[] {
  return policyFile !== undefined && policyPlaces === undefined ? ["--policy", policyFile] : [];
}

const plainNames = [
  "TOOLWRIGHT_WORKSPACE_PER",
  "TOOLWRIGHT_CONNECTIONS",
  "TOOLWRIGHT_KEEP_DAYS",
  "TOOLWRIGHT_KEEP_LOG_DAYS",
  "TOOLWRIGHT_KEEP_ARTIFACTS_DAYS",
  "TOOLWRIGHT_IMAGE",
  "TOOLWRIGHT_CHROMIUM",
  "TOOLWRIGHT_ASK",
  "XDG_STATE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_CACHE_HOME",
];
const pathNames = ["TOOLWRIGHT_STATE", "TOOLWRIGHT_TENANT_WORKSPACES", "TOOLWRIGHT_MASTER_KEY_FILE"];
const secretNames = ["DATABASE_URL", "TOOLWRIGHT_MASTER_KEY"];

/** Clients start servers with few variables or none of their own; without these the process would use another store than this command. */
function environmentFor({ env, cwd }: Io, { databaseUrl }: Settings): Pick<StdioConnection, "values" | "references"> {
  const set = (names: readonly string[]) => names.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return {
    values: Object.fromEntries([...set(plainNames), ...set(pathNames).map(([name, path]) => [name, resolve(cwd, path)] as const)]),
    references: set(secretNames)
      .map(([name]) => name)
      .filter((name) => name !== "DATABASE_URL" || databaseUrl !== undefined),
  };
}
