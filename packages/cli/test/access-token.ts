import { createHash, randomBytes } from "node:crypto";
import type { Browser } from "./browser.ts";

const redirectUri = "http://127.0.0.1:9/callback";

/** What a program gets to which the person in the browser gives access, each step by hand. */
export async function accessTokenOf(
  server: string,
  browser: Browser,
  { scope = "tools", tenant = "default", mayAnswer = true } = {},
): Promise<string> {
  const registered = await fetch(`${server}/auth/api/oauth2/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      client_name: "Notes",
      application_type: "native",
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
    }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString("base64url");
  const asked = new URL(`${server}/auth/api/oauth2/authorize`);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: "state",
    resource: `${server}/mcp`,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) asked.searchParams.set(name, value);
  const { url } = await browser.follow(await browser.get(asked), server);
  const given = await browser.post(`${server}/auth/consent`, {
    oauth_query: url.search.slice(1),
    answer: "allow",
    tenant,
    ...(mayAnswer && { approvals: "yes" }),
  });
  const code = (await browser.follow(given, server)).url.searchParams.get("code") ?? "";
  const body = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    client_id: clientId,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    resource: `${server}/mcp`,
  });
  const answered = await fetch(`${server}/auth/api/oauth2/token`, { method: "POST", body });
  const { access_token: token, ...refused } = (await answered.json()) as { access_token?: string };
  if (token === undefined) throw new Error(`No access token: ${JSON.stringify(refused)}`);
  return token;
}
