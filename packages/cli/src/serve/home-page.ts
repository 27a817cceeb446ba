import { version } from "../version.ts";

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** What somebody sees who opens the address in a browser. */
export function homePage(mcpUrl: string): string {
  const url = mcpUrl.replace(/[&<>"']/g, (character) => escapes[character] ?? "");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Toolwright</title>
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem}code,pre{font:14px/1.5 ui-monospace,monospace}pre{background:#8881;padding:1rem;overflow:auto}</style>
<h1>Toolwright ${version}</h1>
<p>This is a server of tools for AI agents. It speaks the Model Context Protocol at <code>${url}</code>; connect a client to that address:</p>
<pre>{"mcpServers": {"toolwright": {"type": "http", "url": "${url}"}}}</pre>
<p>Calls that wait for a person are answered in the client, or in a terminal with <code>toolwright approvals list</code>.
<code>GET /health</code> says how the server is.</p>
</html>
`;
}
