import { createManualClock } from "@toolwright/engine/testing";
import { expect, it } from "vitest";
import { shapeMetadata } from "./shape-metadata.ts";
import { tellRefusals, tellWrongPasswords } from "./tell-refusals.ts";

const said: string[] = [];
const telling = {
  options: { addressHeader: "x-address", log: (_level: string, message: string) => void said.push(message) },
  clock: createManualClock(Date.UTC(2026, 0, 2, 3, 4, 5)),
};
const authorize = "http://tools.example/auth/api/oauth2/authorize?client_id=nobody&redirect_uri=https%3A%2F%2Fevil.example";
const from = { headers: { "x-address": "192.0.2.7" } };

it.each<[string, string, string, RegExp | undefined]>([
  [
    "an unknown client",
    authorize,
    "http://tools.example/auth/error?error=invalid_client",
    /^2026-01-02T03:04:05.000Z .*\(invalid_client\): client "nobody", redirect "https:\/\/evil.example", from 192.0.2.7$/,
  ],
  ["a client that is let in", authorize, "https://client.example/callback?code=1", undefined],
  ["a refusal that the client hears of itself", authorize, "https://client.example/callback?error=access_denied", undefined],
  ["another endpoint", "http://tools.example/auth/api/callback/oidc", "http://tools.example/auth/error?error=no_tenant", undefined],
])("a line tells of %s, or none", async (_words, url, location, line) => {
  said.length = 0;
  const handle = tellRefusals(async () => new Response(null, { status: 302, headers: { location } }), telling);
  expect((await handle(new Request(url, from))).headers.get("location")).toBe(location);
  expect(said).toEqual(line ? [expect.stringMatching(line)] : []);
});

it.each([
  [200, false, undefined],
  [401, false, /Sign-in refused \(wrong address or password\): "bob@example.org" from 192.0.2.7/],
  [429, false, /too many attempts/],
  [401, true, undefined],
])("a sign-in that ends with %d is told (a question that was closed: %s)", async (status, questionClosed, line) => {
  said.length = 0;
  const answer = { status, questionClosed, retryAfter: undefined, location: undefined, cookies: [] };
  const typed = { email: "bob@example.org", password: "a secret", oauthQuery: "" };
  expect(await tellWrongPasswords(async () => answer, telling)(new Request(authorize, from), typed)).toBe(answer);
  expect(said).toEqual(line ? [expect.stringMatching(line)] : []);
  expect(said.join()).not.toContain("a secret");
});

it("the description of the server offers no way to authenticate that is refused", async () => {
  const library = () =>
    Response.json({
      issuer: "http://tools.example/auth/api",
      token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "private_key_jwt"],
      token_endpoint_auth_signing_alg_values_supported: ["ES256"],
    });
  const shaped = await shapeMetadata(new Request("http://tools.example/.well-known/oauth-authorization-server/auth/api"), library());
  expect(await shaped.json()).toEqual({
    issuer: "http://tools.example/auth/api",
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
  });
  const other = library();
  expect(await shapeMetadata(new Request("http://tools.example/auth/api/oauth2/token"), other)).toBe(other);
});
