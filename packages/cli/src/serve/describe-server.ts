import { cliPrincipal } from "../caller.ts";
import type { ProbedRuntime, Toolwright } from "../compose.ts";
import { version } from "../version.ts";

interface Server {
  readonly toolwright: Toolwright;
  readonly mcpUrl: string;
  readonly hasToken: boolean;
}

/** What an operator wants to know when the server is up, and a line to try. */
export function describeServer({ toolwright, mcpUrl: mcp, hasToken }: Server): string {
  const { settings, runtimes } = toolwright;
  const authorization = hasToken ? ` -H "authorization: Bearer $TOOLWRIGHT_TOKEN"` : "";
  const headers = hasToken ? `, "headers": {"Authorization": "Bearer <token>"}` : "";
  return `Toolwright ${version} is ready.

  MCP        ${mcp}
  Workspace  ${settings.workspace}
  Tools      ${describeTools(toolwright)}
  Policy     ${settings.policyFile ?? "the built-in default (supervised); bring your own with --policy <file>"}
  Sandbox    ${describeSandbox(runtimes)}
  Approvals  toolwright approvals list

Try it:
  curl -s ${mcp} -H "content-type: application/json" -H "accept: application/json, text/event-stream"${authorization} \\
    -H "mcp-protocol-version: 2026-07-28" -H "mcp-method: tools/list" -d '${JSON.stringify(tryRequest)}'
Connect a client:
  {"mcpServers": {"toolwright": {"type": "http", "url": "${mcp}"${headers}}}}

Stop it with Ctrl+C.
`;
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
  const all = engine.scope(cliPrincipal({ env: {}, isInteractive: false }), { session: "cli" }).list().length;
  if (!loaded) return `${all}, all built in; put your own in a folder outside the workspace and name it with --tools <dir>`;
  return `${all}, of them ${loaded.loaded.length} from ${settings.tools}; a *.tool.ts put there is taken at once`;
}

/** One line: what commands run in, or why they are refused. */
export function describeSandbox(runtimes: readonly ProbedRuntime[]): string {
  const isolating = runtimes.filter(({ runtime }) => runtime.traits.isolation !== "none");
  const available = isolating.find(({ probe }) => probe.available);
  if (available) return `commands run in ${available.runtime.name} (${available.probe.detail})`;
  const { probe } = isolating[0] ?? {};
  return `none, so commands are refused${probe ? ` (${probe.detail}${probe.remedy ? ` ${probe.remedy}` : ""})` : ""}; more: toolwright doctor`;
}
