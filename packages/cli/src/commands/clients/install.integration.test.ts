import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { recordServer } from "@toolwright/server/state";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { serveHere } from "../../../test/serve-here.ts";
import { runIn } from "../../../test/test-io.ts";

let root: string;
let server: Server;
let answer: { readonly status: number; readonly headers: Record<string, string> };
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "toolwright-install-"));
  server = createServer((_, response) => response.writeHead(answer.status, answer.headers).end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true, force: true });
});

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const open = { status: 200, headers: { "content-type": "application/json" } };
const token = { status: 401, headers: { "www-authenticate": "Bearer" } };
const signIn = { status: 401, headers: { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1/x"' } };
const written = { version: "0.1.0", marks: { store: "", places: "" } };
const record = (url = `${origin()}/mcp`) =>
  recordServer(join(root, "home/.local/state/toolwright"), {
    url,
    listens: origin(),
    workspace: join(root, "workspace"),
    process: process.pid,
    ...written,
  });

async function printed(...argv: string[]) {
  const { out, err, code } = await runIn(root, ["install", ...argv, "--print", "--json"]);
  return { code, err, ...(out === "" ? {} : JSON.parse(out)) };
}

const reference = { claude: "${", gemini: "${", opencode: "{env:", cursor: "${env:", vscode: "${env:" };

describe("a server that wants a token", () => {
  test.each(Object.entries(reference))("is named to %s with the variable that holds it", async (client, prefix) => {
    answer = token;
    record();
    const { transport, entry, notes } = await printed(client);
    expect(transport).toBe("http");
    expect(entry).toMatchObject({ url: `${origin()}/mcp`, headers: { Authorization: `Bearer ${prefix}TOOLWRIGHT_TOKEN}` } });
    expect(notes.join(" ")).toMatch(/Set TOOLWRIGHT_TOKEN where .* starts: the file names the variable and holds no token\./);
  });

  test("is named to Codex with the variable that holds it, which another may be", async () => {
    answer = token;
    record();
    expect((await printed("codex", "--token-env", "MY_KEY")).entry).toMatchObject({ bearer_token_env_var: "MY_KEY", required: true });
  });
});

test("a server that asks people to sign in gets no token, and the way to sign in is shown", async () => {
  answer = signIn;
  record();
  const { entry, notes } = await printed("codex");
  expect(entry).not.toHaveProperty("bearer_token_env_var");
  expect(notes).toContain("The server asks people to sign in: codex mcp login toolwright");
});

test("a server behind a proxy is asked where it listens, and named as clients reach it", async () => {
  answer = open;
  record("https://tools.example.org/mcp");
  expect((await printed("gemini")).entry).toMatchObject({ url: "https://tools.example.org/mcp" });
});

describe("the client starts a process of its own", () => {
  test("where the server of the record has gone", async () => {
    record("http://127.0.0.1:9/mcp");
    server.close();
    const { transport, notes } = await printed("codex");
    expect(transport).toBe("stdio");
    expect(notes[0]).toContain("The server at http://127.0.0.1:9/mcp does not answer, so Codex starts a process of its own.");
  });

  test("where something else answers there", async () => {
    answer = { status: 404, headers: {} };
    record();
    expect((await printed("codex")).transport).toBe("stdio");
  });

  test.each([
    ["another workspace", ["--workspace", "elsewhere"]],
    ["a folder of tools", ["--tools", "mine"]],
    ["no server", ["--stdio"]],
  ])("where the command line names %s", async (_, words) => {
    answer = open;
    record();
    expect((await printed("codex", ...words)).transport).toBe("stdio");
  });
});

test("a server that is named and does not answer is refused", async () => {
  const url = `${origin()}/mcp`;
  server.close();
  const { code, err } = await printed("codex", "--url", url);
  expect(code).toBe(69);
  expect(err).toContain(`No MCP server answers at ${url}. Nothing was written; start it first: toolwright serve`);
});

test("a server that is named by its origin is asked at /mcp", async () => {
  answer = open;
  expect((await printed("vscode", "--url", origin())).entry).toEqual({ type: "http", url: `${origin()}/mcp` });
});

test("a record is taken back by the server that wrote it, and by no other", () => {
  const forgetFirst = record("http://127.0.0.1:1/mcp");
  const state = join(root, "home/.local/state/toolwright");
  const forget = recordServer(state, { url: "http://127.0.0.1:2/mcp", listens: origin(), workspace: root, process: 1, ...written });
  forgetFirst();
  expect(readFileSync(join(state, "server.json"), "utf8")).toContain("127.0.0.1:2");
  forget();
  expect(() => readFileSync(join(state, "server.json"))).toThrow(/ENOENT/);
});

test("toolwright serve is found by toolwright install", async () => {
  const database = await createServerDatabase();
  const served = await serveHere(["--no-worker"], { DATABASE_URL: database.url, TOOLWRIGHT_TOKEN: "a-token-of-some-length" });
  try {
    const { entry } = JSON.parse(await served.run("install", "claude", "--print", "--json"));
    expect(entry).toEqual({
      type: "http",
      url: `${served.url}/mcp`,
      headers: { Authorization: `Bearer ${reference.claude}TOOLWRIGHT_TOKEN}` },
      timeout: 600_000,
      alwaysLoad: true,
    });
  } finally {
    await served.stop();
    await database.drop();
  }
});
