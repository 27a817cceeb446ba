import type { Toolwright } from "@toolwright/server";
import type { Ask, AuthSettings, Place } from "@toolwright/server/http";
import { localUser } from "@toolwright/server/local";
import { describeSandbox } from "@toolwright/server/machine";
import type { Settings } from "@toolwright/server/settings";
import { loadsAll } from "@toolwright/server/trust";
import { askingPrincipal } from "../caller.ts";
import { clientNames } from "../client-config/client-names.ts";
import { version } from "../version.ts";

interface Server {
  readonly toolwright: Toolwright;
  readonly mcpUrl: string;
  /** Where it listens, when a proxy serves that URL. */
  readonly behind?: string | undefined;
  readonly hasToken: boolean;
  readonly hasConsole?: boolean;
  readonly auth?: AuthSettings | undefined;
  readonly ask?: Ask;
  readonly others?: Place["others"];
}

/** What an operator wants to know when the server is up, and a line to try. */
export function describeServer({ toolwright, mcpUrl, behind, hasToken, hasConsole, auth, ask, others }: Server): string {
  const { settings } = toolwright;
  const mcp = reachable(mcpUrl, others);
  const { origin } = new URL(mcp);
  const credential = hasToken ? "TOOLWRIGHT_TOKEN" : auth ? "KEY" : undefined;
  const authorization = credential === undefined ? "" : ` -H "authorization: Bearer $${credential}"`;
  const headers = hasToken ? `, "headers": {"Authorization": "Bearer <token>"}` : "";
  return `Toolwright ${version} is ready.

  MCP        ${mcp}${others && others.name === undefined ? "\n  Others     of other machines none yet: name this one as they do, with --allow-host NAME" : ""}${behind === undefined ? "" : `\n  Listens    at ${behind}, for the proxy that serves ${origin}`}
  REST       ${origin}/api${hasConsole ? `\n  Console    ${origin}/` : ""}
  Access     ${describeAccess(origin, hasToken, auth)}
  Workspace  ${describeWorkspace(settings, auth !== undefined)}
  Store      ${describeStore(settings)}
  Tools      ${describeTools(toolwright)}
  Agents     ${describeAgents(settings)}
  Policy     ${toolwright.policy.files[0] ?? "the built-in default (supervised); bring your own with --policy <file>"}
  Sandbox    ${describeSandbox(toolwright)}
  Approvals  ${ask === "never" ? "no client is asked (--ask never); " : ""}toolwright approvals list

${describeTry(hasToken, auth)}
  curl -s ${mcp} -H "content-type: application/json" -H "accept: application/json, text/event-stream"${authorization} \\
    -H "mcp-protocol-version: 2026-07-28" -H "mcp-method: tools/list" -d '${JSON.stringify(tryRequest)}'
Connect a client (${clientNames}):
  toolwright install claude
Any other takes this in its configuration:
  {"mcpServers": {"toolwright": {"type": "http", "url": "${mcp}"${headers}}}}

Stop it with Ctrl+C.
`;
}

/** An address that every interface has is none that a client can connect to. */
function reachable(mcpUrl: string, others: Place["others"]): string {
  const url = new URL(mcpUrl);
  if (others?.name !== undefined) url.hostname = others.name;
  else if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1";
  else if (url.hostname === "[::]") url.hostname = "[::1]";
  return url.href;
}

function describeTry(hasToken: boolean, auth: AuthSettings | undefined): string {
  if (hasToken) return "Try it, where TOOLWRIGHT_TOKEN has the token:";
  return auth ? "Try it with a key: KEY=$(toolwright keys create try)" : "Try it:";
}

function describeWorkspace({ workspace, tenantWorkspaces, workspacePer }: Settings, hasTenants: boolean): string {
  const parts = [
    workspace,
    ...(hasTenants ? [`of other tenants in ${tenantWorkspaces}`] : []),
    ...(workspacePer === "conversation" ? ["each conversation of an agent in a folder of its own"] : []),
  ];
  return parts.join("; ");
}

function describeAgents({ model: { name } }: Settings): string {
  return `toolwright chat; ${name === undefined ? "the demo model answers, which is no AI: set TOOLWRIGHT_MODEL for one" : `${name} answers`}`;
}

/** A URL of a server may hold a password, which is nobody's business here. */
function describeStore({ state, databaseUrl }: Settings): string {
  if (databaseUrl === undefined) return `embedded, in ${state}; set DATABASE_URL for a PostgreSQL server`;
  const { host, pathname } = new URL(databaseUrl);
  return `PostgreSQL at ${host}${pathname}`;
}

/** Who may use the tools, plainly. */
function describeAccess(origin: string, hasToken: boolean, auth: AuthSettings | undefined): string {
  if (auth) return `people sign in at ${origin}/auth/sign-in, clients by OAuth or with a key; invite with toolwright users invite`;
  if (hasToken) return "programs with the server's token, or with a key from toolwright keys create";
  return `one local owner, no login: every program on this machine acts as ${localUser()}; --auth asks people to sign in`;
}

const tryRequest = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "curl", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

function describeTools({ engine, settings, loaded }: Toolwright): string {
  const all = engine.scope(askingPrincipal({ engine }, { isInteractive: false })).list().length;
  if (!loaded) return `${all}, all built in; put your own in a folder outside the workspace and name it with --tools <dir>`;
  const more = loadsAll(settings) ? "a *.tool.ts put there is taken at once" : "a file that you do not trust is left out: toolwright trust";
  return `${all}, of them ${loaded.loaded.length} from ${settings.tools}; ${more}`;
}
