import { createHash, createHmac, randomBytes } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Browser } from "../../packages/cli/test/browser.ts";
import { type OidcServerHere, startOidcServer } from "../../packages/cli/test/oidc-server.ts";
import { password, type ServedHere, serveHere } from "../../packages/cli/test/serve-here.ts";

const redirect = "https://notes.example/callback";
const authSecret = randomBytes(32).toString("hex");
/** As the cookie of a session carries it: the token, and a signature under the secret of the server. */
const signed = (token: string) => encodeURIComponent(`${token}.${createHmac("sha256", authSecret).update(token).digest("base64")}`);
const sessionCookie = "toolwright.session_token";
let address = 0;
/** Attempts are counted by the address that they come from. */
const elsewhere = () => ({ "x-forwarded-for": `198.51.${++address >> 8}.${address & 255}` });

interface Client {
  readonly id: string;
  readonly secret: string;
}

/** Every kind of credential there is, each as its holder has it. */
interface Credentials {
  readonly "the cookie of a password session": string;
  readonly "the cookie of a session from an OpenID Connect server": string;
  readonly "a code that nobody redeemed": string;
  readonly "the state of a sign-in that is under way": string;
  readonly "an access token": string;
  readonly "a refresh token": string;
  readonly "the secret of a program": string;
  readonly "an API key": string;
  readonly "a link of an invitation": string;
  readonly "a link for a new password": string;
  readonly "a password": string;
}

describe.each(["embedded", "server"] as const)("a copy of the store, %s (R-TN-7, R-TN-6)", (kind) => {
  let root: string;
  let other: OidcServerHere;
  let server: ServedHere;
  let client: Client;
  let verifier: string;
  let real: Credentials;
  let backup: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "toolwright-stored-"));
    other = await startOidcServer({ sub: "1", email: "oda@example.org", email_verified: true, name: "Oda" });
    const env = {
      TOOLWRIGHT_STATE: join(root, "state"),
      TOOLWRIGHT_AUTH_SECRET: authSecret,
      TOOLWRIGHT_TRUSTED_PROXIES: "127.0.0.1",
      TOOLWRIGHT_OIDC_ISSUER: other.issuer,
      TOOLWRIGHT_OIDC_CLIENT_ID: other.clientId,
      TOOLWRIGHT_OIDC_CLIENT_SECRET: other.clientSecret,
    };
    server = await serveHere(["--auth"], env, kind);
    real = await signInEveryWay();
    await server.run("db", "backup", join(root, "all.gz"));
    backup = gunzipSync(await readFile(join(root, "all.gz"))).toString("utf8");
  });
  afterAll(async () => {
    await server?.stop();
    await other?.stop();
    await rm(root, { recursive: true, force: true });
  });

  const tokenOf = (browser: Browser) => decodeURIComponent(browser.cookies.get(sessionCookie) ?? "").split(".")[0] ?? "";

  async function signInEveryWay(): Promise<Credentials> {
    const browser = await server.person("ann@example.org");
    await server.run("users", "invite", "oda@example.org");
    const oda = new Browser();
    const back = await fetch((await pressOidc(oda)).href, { redirect: "manual" });
    await oda.follow(await oda.get(back.headers.get("location") ?? ""), server.url);
    const { key } = JSON.parse(await server.run("keys", "create", "ci", "--json")) as { key: string };
    const invitation = new URL(await server.run("users", "invite", "cid@example.org"));
    const reset = new URL(await server.run("users", "reset-password", "ann@example.org"));
    client = await register();
    const first = await redeem(await allow(browser));
    return {
      "the cookie of a password session": tokenOf(browser),
      "the cookie of a session from an OpenID Connect server": tokenOf(oda),
      "a code that nobody redeemed": await allow(browser),
      "the state of a sign-in that is under way": (await pressOidc(new Browser())).searchParams.get("state") ?? "",
      "an access token": first.access_token,
      "a refresh token": first.refresh_token,
      "the secret of a program": client.secret,
      "an API key": key,
      "a link of an invitation": invitation.searchParams.get("token") ?? "",
      "a link for a new password": reset.searchParams.get("token") ?? "",
      "a password": password,
    };
  }

  async function pressOidc(browser: Browser): Promise<URL> {
    const pressed = await browser.post(`${server.url}/auth/oidc`, {}, elsewhere());
    return new URL(pressed.headers.get("location") ?? "");
  }

  async function register(): Promise<Client> {
    const answer = await fetch(`${server.url}/auth/api/oauth2/register`, {
      method: "POST",
      headers: { "content-type": "application/json", ...elsewhere() },
      body: JSON.stringify({ client_name: "Notes", redirect_uris: [redirect], token_endpoint_auth_method: "client_secret_post" }),
    });
    const { client_id: id, client_secret: secret } = (await answer.json()) as { client_id: string; client_secret: string };
    return { id, secret };
  }

  /** The code that comes of a yes. */
  async function allow(browser: Browser): Promise<string> {
    verifier ??= randomBytes(32).toString("base64url");
    const asked = new URL(`${server.url}/auth/api/oauth2/authorize`);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const fields = { client_id: client.id, redirect_uri: redirect, response_type: "code", scope: "tools offline_access" };
    const more = { code_challenge: challenge, code_challenge_method: "S256", resource: `${server.url}/mcp`, prompt: "consent" };
    for (const [field, value] of Object.entries({ ...fields, ...more })) asked.searchParams.set(field, value);
    const { url } = await browser.follow(await browser.get(asked), server.url);
    const sent = { oauth_query: url.search.slice(1), tenant: "default", answer: "allow" };
    const given = await browser.post(`${server.url}/auth/consent`, sent);
    return new URL(given.headers.get("location") ?? "", server.url).searchParams.get("code") ?? "";
  }

  const askToken = (fields: Readonly<Record<string, string>>) =>
    fetch(`${server.url}/auth/api/oauth2/token`, {
      method: "POST",
      headers: elsewhere(),
      body: new URLSearchParams({ client_id: client.id, client_secret: client.secret, resource: `${server.url}/mcp`, ...fields }),
    });
  const codeFields = (code: string) => ({ grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier });

  async function redeem(code: string) {
    const answer = await askToken(codeFields(code));
    expect(answer.status).toBe(200);
    return (await answer.json()) as { access_token: string; refresh_token: string };
  }

  test("every kind of credential was made", () => {
    for (const [name, value] of Object.entries(real)) expect({ name, long: value.length > 15 }).toEqual({ name, long: true });
    // The other server's tokens: access, refresh and ID token.
    expect(other.issued).toHaveLength(3);
    expect(backup).toContain("oda@example.org");
  });

  test("a backup holds none of them, in any usual spelling", () => {
    for (const [name, value] of [...Object.entries(real), ...other.issued.map((token) => ["a token of the other server", token] as const)])
      for (const spelled of spellings(value)) expect({ name, held: backup.includes(spelled) }).toEqual({ name, held: false });
  });

  test("a reader of a backup gets in with nothing that it holds, even with the secret that signs cookies", {
    timeout: 180_000,
  }, async () => {
    const found = [...new Set(rowsOfIdentity(backup).flatMap(textsIn))].filter((text) => /^[!-~]{16,512}$/.test(text));
    expect(found.length).toBeGreaterThan(20);
    const opened: string[] = [];
    for (const door of doors()) {
      // What its holder has opens each door, or the answers below would mean nothing.
      expect({ door: door.name, opens: await door.opens(door.real) }).toEqual({ door: door.name, opens: true });
      for (const value of found) if (await door.opens(value)) opened.push(`${door.name}: ${value}`);
    }
    expect(opened).toEqual([]);
  });

  test.runIf(kind === "embedded")("the files of the store hold none of them either", async () => {
    await server.stop();
    const files = (await readdir(join(root, "state", "store"), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(50);
    const held: string[] = [];
    for (const file of files) {
      const bytes = await readFile(join(file.parentPath, file.name));
      for (const [name, value] of Object.entries(real)) if (bytes.includes(value)) held.push(`${name} in ${file.name}`);
      for (const value of other.issued) if (bytes.includes(value)) held.push(`a token of the other server in ${file.name}`);
    }
    expect(held).toEqual([]);
  });

  interface Door {
    readonly name: string;
    /** Opens it. */
    readonly real: string;
    opens(value: string): Promise<boolean>;
  }

  function doors(): readonly Door[] {
    const bearer = (token: string) =>
      fetch(`${server.url}/mcp`, { method: "POST", headers: { authorization: `Bearer ${token}`, ...elsewhere() }, body: "{}" });
    const isLetIn = async (answer: Promise<Response>) => ![401, 403, 429].includes((await answer).status);
    const get = (path: string, cookie = "") =>
      fetch(`${server.url}${path}`, { redirect: "manual", headers: { ...(cookie && { cookie }), ...elsewhere() } });
    const opensPage = async (path: string, value: string) => (await get(`${path}?token=${encodeURIComponent(value)}`)).status === 200;
    const entered = (cookie: string) => get("/auth/account", `${sessionCookie}=${cookie}`).then(({ status }) => status === 200);
    const renewed = async (token: string) => (await askToken({ grant_type: "refresh_token", refresh_token: token })).status === 200;
    const state = (value: string) =>
      get(`/auth/api/callback/oidc?code=x&state=${encodeURIComponent(value)}`, `toolwright.state=${signed(value)}`);
    const access = real["an access token"];
    return [
      { name: "cookie", real: signed(real["the cookie of a password session"]), opens: entered },
      {
        name: "signed cookie",
        real: real["the cookie of a session from an OpenID Connect server"],
        opens: (value) => entered(signed(value)),
      },
      { name: "bearer", real: real["an API key"], opens: (value) => isLetIn(bearer(value)) },
      { name: "access token", real: access.replace(/^twa_/, ""), opens: (value) => isLetIn(bearer(`twa_${value}`)) },
      { name: "invitation", real: real["a link of an invitation"], opens: (value) => opensPage("/auth/accept", value) },
      { name: "new password", real: real["a link for a new password"], opens: (value) => opensPage("/auth/reset", value) },
      { name: "program", real: client.secret, opens: isProgram },
      {
        // Past the state the library asks the other server to redeem the code, which fails in another way.
        name: "state",
        real: real["the state of a sign-in that is under way"],
        opens: async (value) => !/state|restart/.test((await state(value)).headers.get("location") ?? "state"),
      },
      { name: "refresh token", real: real["a refresh token"].replace(/^twr_/, ""), opens: (value) => renewed(`twr_${value}`) },
      {
        name: "code",
        real: real["a code that nobody redeemed"],
        opens: async (value) => (await askToken(codeFields(value))).status === 200,
      },
    ];
  }

  async function isProgram(secret: string): Promise<boolean> {
    const body = new URLSearchParams({ token: "none", client_id: client.id, client_secret: secret });
    const answer = await fetch(`${server.url}/auth/api/oauth2/revoke`, { method: "POST", headers: elsewhere(), body });
    return /token not found/.test(await answer.text());
  }
});

function spellings(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  return [
    value,
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("base64url"),
    bytes.toString("hex"),
    encodeURIComponent(value),
  ];
}

/** Lines with the rows of the tables that say who somebody is. */
function rowsOfIdentity(backup: string): readonly string[] {
  let isWanted = false;
  return backup.split("\n").filter((line) => {
    if (line.startsWith("[")) return isWanted;
    isWanted = /^\{"table":"(auth_|oauth_|users|invitations|api_keys|password_resets)/.test(line);
    return false;
  });
}

/** Every text in a line of a backup, and in JSON that is kept as a text. */
function textsIn(text: string): readonly string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [text];
  }
  if (typeof value === "string") return textsIn(value);
  if (typeof value !== "object" || value === null) return [text];
  return Object.values(value).flatMap((each) => (typeof each === "string" ? [each, ...textsIn(each)] : textsIn(JSON.stringify(each))));
}
