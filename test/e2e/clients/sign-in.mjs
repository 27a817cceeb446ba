import { createInterface } from "node:readline/promises";

/**
 * node sign-in.mjs <url> <v1 | ai-sdk>: asks a person for access. Prints the address of the question, reads what came back, then prints the tools.
 */
const [url, which] = process.argv.slice(2);
const saved = {};
const redirectUrl = "http://localhost:53999/callback";
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: which, redirect_uris: [redirectUrl], token_endpoint_auth_method: "none" },
  clientInformation: () => saved.client,
  saveClientInformation: (client) => Object.assign(saved, { client }),
  tokens: () => saved.tokens,
  saveTokens: (tokens) => Object.assign(saved, { tokens }),
  codeVerifier: () => saved.verifier,
  saveCodeVerifier: (verifier) => Object.assign(saved, { verifier }),
  state: () => "the-state",
  storedState: () => "the-state",
  redirectToAuthorization: (asked) => process.stdout.write(`${asked}\n`),
};
const { auth } = await import(which === "v1" ? "@modelcontextprotocol/sdk/client/auth.js" : "@ai-sdk/mcp");
await auth(authProvider, { serverUrl: url });
for await (const line of createInterface({ input: process.stdin })) {
  const { code: authorizationCode, state: callbackState } = JSON.parse(line);
  await auth(authProvider, { serverUrl: url, authorizationCode, callbackState });
  break;
}
process.stdout.write(`${JSON.stringify(await (which === "v1" ? listByV1() : listByAiSdk()))}\n`);

async function listByV1() {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const client = new Client({ name: "v1", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name);
}

async function listByAiSdk() {
  const { createMCPClient } = await import("@ai-sdk/mcp");
  const client = await createMCPClient({ transport: { type: "http", url, authProvider } });
  const tools = await client.tools();
  await client.close();
  return Object.keys(tools);
}
