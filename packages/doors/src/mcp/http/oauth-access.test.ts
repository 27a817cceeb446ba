import { type AuthInfo, OAuthError, OAuthErrorCode } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import { ann, modernRequest, openDoor } from "../../../test/mcp-client.ts";
import { oauthAccess } from "../index.ts";

const resource = new URL("https://tools.example.org/mcp");
const soon = Math.floor(Date.now() / 1000) + 600;
const good: AuthInfo = { token: "good", clientId: "ann", scopes: ["tools"], expiresAt: soon, resource };
const tokens: Record<string, AuthInfo> = {
  good,
  expired: { ...good, expiresAt: soon - 1200 },
  timeless: { token: "timeless", clientId: "ann", scopes: ["tools"], resource },
  foreign: { ...good, resource: new URL("https://other.example.org/mcp") },
  boundless: { token: "boundless", clientId: "ann", scopes: ["tools"], expiresAt: soon },
  scopeless: { ...good, scopes: [] },
  nobody: { ...good, clientId: "nobody" },
};

const authentication = oauthAccess({
  verifier: {
    async verifyAccessToken(token) {
      const known = Object.hasOwn(tokens, token) ? tokens[token] : undefined;
      if (!known) throw new OAuthError(OAuthErrorCode.InvalidToken, "The signature or the issuer is not right.");
      return known;
    },
  },
  resource,
  scopes: ["tools"],
  principalOf: ({ clientId }) => (clientId === "ann" ? ann : undefined),
});

it.each([
  { name: "a good token", token: "good", status: 200 },
  { name: "no token", token: undefined, status: 401 },
  { name: "a token of another issuer", token: "forged", status: 401 },
  { name: "an expired token", token: "expired", status: 401 },
  { name: "a token that never expires", token: "timeless", status: 401 },
  { name: "a token for another server", token: "foreign", status: 401 },
  { name: "a token for any server", token: "boundless", status: 401 },
  { name: "a token without the scope", token: "scopeless", status: 403 },
  { name: "a token of nobody we know", token: "nobody", status: 401 },
])("answers $name with $status (R-MC-6)", async ({ token, status }) => {
  const { door, engine } = openDoor({ door: { authentication, resourceMetadataUrl: "https://tools.example.org/meta" } });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await door.fetch(modernRequest("tools/list", {}, { headers }));
  expect(response.status).toBe(status);
  const challenge = response.headers.get("www-authenticate") ?? "";
  if (status !== 200) expect(challenge).toContain('resource_metadata="https://tools.example.org/meta"');
  if (status !== 200) expect(challenge).toContain('scope="tools"');
  if (status === 403) expect(challenge).toMatch(/insufficient_scope.*scope="tools"/);
  await door.close();
  await engine.close();
});
