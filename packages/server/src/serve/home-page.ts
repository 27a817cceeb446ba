import { html, writeDocument } from "@toolwright/sign-in/html";
import { version } from "../version.ts";
import type { ConsoleState } from "./console/serve-console.ts";

interface HomeFacts {
  readonly mcpUrl: string;
  readonly peopleSignIn: boolean;
  /** Names of the clients that `toolwright install` knows. */
  readonly clients: string;
  readonly console: ConsoleState;
}

/** What somebody sees who opens the address in a browser while there is no console. */
export function homePage({ mcpUrl, peopleSignIn, clients, console: { state, ...more } }: HomeFacts): string {
  const signIn = html`<p>A client that you connect sends you here to sign in. <a href="${new URL("/auth/account", mcpUrl).href}">Your account</a> shows what may act for you.</p>`;
  const isBuilding = state === "building";
  const body = html`${isBuilding && html`<p role="status">The console is being built, which takes up to a minute after an installation. It opens here by itself.</p>`}
${"words" in more && html`<p class="wrong" role="alert">The console could not be built: ${more.words} Everything else works. The next start tries again; <code>node web/build.ts</code> does it by hand.</p>`}
<p>This is a server of tools for AI agents. It speaks the Model Context Protocol at <code>${mcpUrl}</code>; connect a client to that address.</p>
<p>On the machine of this server, <code>toolwright install claude</code> does it, as it does for ${clients}. Any other client takes this in its configuration:</p>
<pre>{"mcpServers": {"toolwright": {"type": "http", "url": "${mcpUrl}"}}}</pre>
${peopleSignIn && signIn}
<p>Calls that wait for a person are answered in the client, or in a terminal with <code>toolwright approvals list</code>.
<code>GET /health</code> says how the server is.</p>`;
  return writeDocument({
    title: `Toolwright ${version}`,
    body,
    host: new URL(mcpUrl).host,
    isWide: true,
    head: isBuilding ? html`<meta http-equiv="refresh" content="2">` : undefined,
  });
}

/** The home page as plain text, for `curl` and monitors. */
export function homeText(mcpUrl: string): string {
  const api = new URL("/api/reference", mcpUrl).href;
  return `Toolwright ${version}: a server of tools for AI agents.\nMCP     ${mcpUrl}\nREST    ${api}\nHealth  ${new URL("/health", mcpUrl).href}\n`;
}
