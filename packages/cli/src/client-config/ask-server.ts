/** What a server wants of a client before it serves it. */
type ServerAccess = "open" | "token" | "sign-in";

const question = {
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "toolwright", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": "server/discover",
};

/** Undefined when no MCP server answers there. Nothing that it says is believed but whether it wants a token, and of which kind. */
export async function askServer(mcpUrl: string, { timeoutMs = 5_000, signal }: AskServerOptions): Promise<ServerAccess | undefined> {
  try {
    const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]);
    const answer = await fetch(mcpUrl, { method: "POST", headers, body: JSON.stringify(question), redirect: "manual", signal: limit });
    await answer.body?.cancel();
    if (answer.status === 401) return answer.headers.get("www-authenticate")?.includes("resource_metadata") ? "sign-in" : "token";
    const isMcp =
      answer.status === 400 || (answer.ok && /^(application\/json|text\/event-stream)/.test(answer.headers.get("content-type") ?? ""));
    return isMcp ? "open" : undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}

interface AskServerOptions {
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
}
