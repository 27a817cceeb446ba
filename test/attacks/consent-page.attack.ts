import { createHash, createHmac, randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser } from "../../packages/cli/test/browser.ts";
import { password, type ServedHere, serveHere } from "../../packages/cli/test/serve-here.ts";

const home = "https://notes.example/callback";
const evil = "https://evil.example/callback";
const authSecret = randomBytes(32).toString("hex");

/** Signs a question as the server does, for attacks that only time tells from a real one. */
function sign(fields: URLSearchParams): URLSearchParams {
  const signed = new URLSearchParams(fields);
  signed.delete("sig");
  signed.sort();
  const ordered = new URLSearchParams([...signed].sort(([a, x], [b, y]) => (a < b ? -1 : a > b ? 1 : x < y ? -1 : 1)));
  signed.set("sig", createHmac("sha256", authSecret).update(ordered.toString()).digest("base64"));
  return signed;
}

type Change = (fields: URLSearchParams) => URLSearchParams | undefined;
const set =
  (name: string, value: string): Change =>
  (fields) =>
    void fields.set(name, value);
const append =
  (name: string, value: string): Change =>
  (fields) =>
    void fields.append(name, value);
const prepend =
  (name: string, value: string): Change =>
  (fields) =>
    new URLSearchParams([[name, value], ...fields]);
const without =
  (name: string): Change =>
  (fields) =>
    void fields.delete(name);

function dropped(fields: URLSearchParams, name: string): URLSearchParams {
  fields.delete(name);
  return fields;
}

function expired(fields: URLSearchParams): URLSearchParams {
  fields.set("exp", String(Math.floor(Date.now() / 1000) - 1));
  return fields;
}

/** R-UI-3, and the confused deputy of the MCP specification: a person must not say yes to something else than what the page says. */
describe("the address of the consent page, written by somebody else than the server", () => {
  let server: ServedHere;
  let ann: Browser;
  let clients: { readonly notes: string; readonly other: string };
  let number = 0;

  beforeAll(async () => {
    server = await serveHere(["--auth"], { TOOLWRIGHT_TRUSTED_PROXIES: "127.0.0.1", TOOLWRIGHT_AUTH_SECRET: authSecret });
    ann = await server.person("ann@example.org");
    clients = { notes: await register("Notes", home), other: await register("Other \u202e<i>", evil) };
  });
  afterAll(() => server?.stop());

  async function register(name: string, redirect: string): Promise<string> {
    const answer = await fetch(`${server.url}/auth/api/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forwarded-for": `192.0.2.${++number}` },
      body: JSON.stringify({ client_name: name, redirect_uris: [redirect], token_endpoint_auth_method: "none" }),
    });
    return ((await answer.json()) as { client_id: string }).client_id;
  }
  const authorizeUrl = (more: Readonly<Record<string, string>> = {}) => {
    const asked = new URL(`${server.url}/auth/api/oauth2/authorize`);
    const challenge = createHash("sha256").update(randomBytes(32)).digest("base64url");
    const fields = { client_id: clients.notes, redirect_uri: home, response_type: "code", scope: "tools", state: "the-state" };
    const all = { ...fields, code_challenge: challenge, code_challenge_method: "S256", prompt: "consent", ...more };
    for (const [name, value] of Object.entries(all)) asked.searchParams.set(name, value);
    return asked;
  };
  const open = async (asked: URL, browser = ann) => browser.follow(await browser.get(asked), server.url);
  const answer = (query: string) => ann.post(`${server.url}/auth/consent`, { oauth_query: query, tenant: "default", answer: "allow" });
  const isQuestion = (text: string) => /<button [^>]*name="answer" value="allow">/.test(text);

  test("that the server wrote asks, names what is signed, and a yes is good for a code", async () => {
    const { url, answer: shown } = await open(authorizeUrl());
    const text = await shown.text();
    expect(text).toContain("The answer goes to <strong>notes.example</strong>");
    expect(text.match(/<li>/g)).toHaveLength(1);
    expect(isQuestion(text)).toBe(true);
    const given = new URL((await answer(url.search.slice(1))).headers.get("location") ?? "");
    expect(given.href).toMatch(/^https:\/\/notes\.example\/callback\?code=/);
    expect(given.searchParams.get("state")).toBe("the-state");
  });

  const changes: readonly [name: string, change: Change][] = [
    ["another redirect_uri in the place of the signed one", set("redirect_uri", evil)],
    ["a second redirect_uri before the signed one", prepend("redirect_uri", evil)],
    ["a second redirect_uri behind it", append("redirect_uri", evil)],
    ["the signed redirect_uri with a fragment", set("redirect_uri", `${home}#evil.example`)],
    ["the signed redirect_uri with a user", set("redirect_uri", "https://evil.example@notes.example/callback")],
    ["fewer scopes than are signed", set("scope", "")],
    ["other scopes", set("scope", "evil.example \u202eslevart")],
    ["a second scope before the signed one", prepend("scope", "offline_access")],
    ["a second scope behind it", append("scope", "offline_access")],
    ["the client_id of another", (fields) => set("client_id", clients.other)(fields)],
    ["a second client_id", (fields) => prepend("client_id", clients.other)(fields)],
    ["a client_name", append("client_name", "evil.example <b>Bank</b>\u202e")],
    ["another state", set("state", "evil.example")],
    ["an end in a year", set("exp", String(Math.floor(Date.now() / 1000) + 31_536_000))],
    ["no signature", without("sig")],
    ["an empty signature", set("sig", "")],
    ["a second signature", append("sig", "evil.example")],
    ["a redirect_uri that the list of signed names does not name", (fields) => append("redirect_uri", evil)(dropped(fields, "ba_param"))],
    ["a parameter that nobody knows", append("utm_source", "evil.example")],
    ["a signature that has expired", (fields) => sign(expired(fields))],
  ];
  test.each(changes)("with %s asks nothing, shows nothing of it, and a yes gives no code", async (_, change) => {
    const { url } = await open(authorizeUrl());
    const fields = new URLSearchParams(url.search);
    const changed = change(fields) ?? fields;
    expect(changed.toString()).not.toBe(url.search.slice(1));
    const shown = await ann.get(`${server.url}/auth/consent?${changed}`);
    const text = await shown.text();
    expect({ status: shown.status, asks: isQuestion(text) }).toEqual({ status: 400, asks: false });
    expect(text).toContain("its address was changed");
    expect(text).not.toMatch(/evil|notes\.example|Notes|offline|keep doing|Bank/);
    const given = await answer(changed.toString());
    expect(given.headers.get("location") ?? "").not.toContain("code=");
    expect(given.headers.get("location") ?? "").not.toContain("evil.example");
  });

  test("with the signature of another question asks nothing", async () => {
    const [mine, theirs] = [await open(authorizeUrl()), await open(authorizeUrl({ client_id: clients.other, redirect_uri: evil }))];
    const fields = new URLSearchParams(mine.url.search);
    fields.set("sig", theirs.url.searchParams.get("sig") ?? "");
    const shown = await ann.get(`${server.url}/auth/consent?${fields}`);
    expect({ status: shown.status, asks: isQuestion(await shown.text()) }).toEqual({ status: 400, asks: false });
  });

  test("that a test can sign itself is taken, so that the expired one above is refused for its age alone", async () => {
    const { url } = await open(authorizeUrl());
    const shown = await ann.get(`${server.url}/auth/consent?${sign(new URLSearchParams(url.search))}`);
    expect({ status: shown.status, asks: isQuestion(await shown.text()) }).toEqual({ status: 200, asks: true });
  });

  test.each(["redirect_uri", "scope", "client_id"])("that names %s twice from the start is not signed as a question", async (name) => {
    const asked = authorizeUrl();
    asked.searchParams.append(name, { redirect_uri: evil, scope: "offline_access", client_id: clients.other }[name] ?? "");
    const { url, answer: shown } = await open(asked);
    expect(url.pathname).not.toBe("/auth/consent");
    expect(url.origin).not.toBe(new URL(evil).origin);
    expect(isQuestion(await shown.text())).toBe(false);
  });

  test("of a person who has to sign in first asks nothing either, whatever was added on the way", async () => {
    const { url } = await open(authorizeUrl(), new Browser());
    expect(url.pathname).toBe("/auth/sign-in");
    const query = `${url.search.slice(1)}&redirect_uri=${encodeURIComponent(evil)}`;
    const browser = new Browser();
    const entered = await browser.post(`${server.url}/auth/sign-in`, { email: "ann@example.org", password, oauth_query: query });
    const text = await entered.text();
    expect(isQuestion(text)).toBe(false);
    expect(text).not.toContain("evil");
    expect(entered.headers.get("location") ?? "").not.toContain("evil");
  });

  test("shows a name that hides characters or holds markup as text, and nothing that the query says of a name", async () => {
    const { answer: shown } = await open(authorizeUrl({ client_id: clients.other, redirect_uri: evil, client_name: "Bank" }));
    const text = await shown.text();
    expect(text).toContain("calls itself <strong><bdi>Other &lt;U+202E&gt;&lt;i&gt;</bdi></strong>");
    expect(text).toContain("The answer goes to <strong>evil.example</strong>");
    // In the hidden fields of the forms alone, which go back to the server as it was signed.
    expect(text.replaceAll(/name="oauth_query" value="[^"]*"/g, "")).not.toMatch(/Bank|<i>|\u202e/);
  });
});
