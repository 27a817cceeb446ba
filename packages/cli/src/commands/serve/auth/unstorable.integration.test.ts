import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../../../test/browser.ts";
import { type ServedHere, serveHere } from "../../../../test/serve-here.ts";

const program = { redirect_uris: ["http://127.0.0.1/"], token_endpoint_auth_method: "none" };
const deep = `${"[".repeat(30_000)}${"]".repeat(30_000)}`;

describe("what no database can hold", () => {
  let server: ServedHere;
  let ann: Browser;
  beforeAll(async () => {
    server = await serveHere(["--auth"]);
    ann = await server.person("ann@example.org");
  });
  afterAll(() => server.stop());

  const at = (path: string) => `${server.url}/auth/${path}`;
  const register = (body: string) =>
    fetch(at("api/oauth2/register"), { method: "POST", headers: { "content-type": "application/json" }, body });
  const send = (path: string, body: string, headers = {}) =>
    fetch(at(`api/oauth2/${path}`), {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body,
    });
  const basic = (text: string) => ({ authorization: `Basic ${btoa(text)}` });

  it.each<[string, () => Promise<Response>]>([
    ["the form of a withdrawal", () => ann.post(at("withdraw"), { client: "\0", tenant: "default" })],
    ["the form of an answer", () => ann.post(at("consent"), { answer: "allow", tenant: "de\0fault", oauth_query: "" })],
    ["the name of a field", () => ann.post(at("withdraw"), { "a\0": "b" })],
    ["the question on the page", () => ann.get(at("consent?client_id=%00&redirect_uri=http://127.0.0.1/"))],
    ["the question of a program", () => ann.get(at("api/oauth2/authorize?response_type=code&client_id=%00"))],
    ["the answer of another server", () => ann.get(at("api/callback/oidc?state=%00"))],
    ["a name", () => register(JSON.stringify({ ...program, client_name: "\0x" }))],
    ["a redirect", () => register(JSON.stringify({ ...program, redirect_uris: ["http://127.0.0.1/\0"] }))],
    ["a code", () => send("token", "grant_type=authorization_code&client_id=%00&code=x")],
    ["a token to revoke", () => send("revoke", "client_id=%00&token=x")],
    ["the header with the id of a program", () => send("revoke", "token=x", basic("a\0b:c"))],
    ["that header, written as in a form", () => send("revoke", "token=x", basic("a%00b:c"))],
  ])("is refused in words: NUL in %s", async (_, ask) => {
    const answer = await ask();
    expect(answer.status).toBe(400);
    expect(await answer.text()).toMatch(/NUL/);
    expect(server.said()).not.toContain("error:");
  });

  it.each([
    ["half of a character", JSON.stringify({ ...program, contacts: ["\ud800"] })],
    ["what is nested too deep", `{"redirect_uris":["http://127.0.0.1/"],"token_endpoint_auth_method":"none","x":${deep}}`],
    ["a list that is nested too deep", `{"redirect_uris":${deep}}`],
  ])("is refused in a registration: %s", async (_, body) => {
    const answer = await register(body);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: "invalid_client_metadata", error_description: expect.any(String) });
    expect(server.said()).not.toContain("error:");
  });
});
