import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { releaseTool } from "./release-tool.ts";
import { Place } from "./run-cli.ts";
import { killServer, type Served, startServer } from "./served.ts";

const tools = {
  release: releaseTool,
  hang: `import { writeFileSync } from "node:fs";
import { defineTool } from "@toolwright/engine";
import { z } from "zod";
export default defineTool({
  name: "hang",
  description: "Never ends by itself. For tests of clients that go away.",
  input: z.object({ begun: z.string().describe("File that it makes"), ended: z.string().describe("File that it makes when it is stopped") }),
  output: z.object({}),
  run: ({ begun, ended }, { signal }) =>
    new Promise((_, reject) => {
      writeFileSync(begun, "");
      signal.addEventListener("abort", () => {
        writeFileSync(ended, "");
        reject(signal.reason);
      });
    }),
});
`,
};

let place: Place;
beforeEach(async () => {
  place = await Place.make("server");
  for (const folder of ["workspace/runs", "tools"]) await mkdir(place.path(folder), { recursive: true });
  place.env.TOOLWRIGHT_TOOLS = place.path("tools");
  for (const [name, text] of Object.entries(tools)) await writeFile(place.path(`tools/${name}.tool.ts`), text);
});
afterEach(() => place.remove());

const accept = "application/json, text/event-stream";

interface Message {
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** The last message of an answer, which may be a stream of them. */
function read(text: string): Message {
  const data = text
    .split("\n")
    .flatMap((line) => (line.startsWith("data: {") ? [line.slice(6)] : []))
    .at(-1);
  return JSON.parse(data ?? text) as Message;
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
};

async function callStateless({ mcp }: Served, params: Record<string, unknown>, signal?: AbortSignal): Promise<Message> {
  const headers = { "content-type": "application/json", accept, "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta: meta } });
  const answer = await fetch(mcp, {
    method: "POST",
    headers: { ...headers, "mcp-name": String(params.name) },
    body,
    signal: signal ?? null,
  });
  return read(await answer.text());
}

async function sendInSession({ mcp }: Served, session: string | undefined, message: object, signal?: AbortSignal): Promise<Response> {
  const headers = {
    "content-type": "application/json",
    accept,
    ...(session !== undefined && { "mcp-session-id": session, "mcp-protocol-version": "2025-06-18" }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...message });
  return fetch(mcp, { method: "POST", headers, body, signal: signal ?? null });
}

async function openSession(server: Served): Promise<string> {
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  const answer = await sendInSession(server, undefined, { method: "initialize", params });
  await answer.text();
  return answer.headers.get("mcp-session-id") ?? "";
}

test("a killed server's sessions and forms go on at another server of its database, and clients that vanish leave nothing behind", async () => {
  const [one, other] = await Promise.all([startServer(place), startServer(place)]);
  const session = await openSession(one);
  const asked = await callStateless(one, { name: "release", arguments: { version: "1.0" } });
  expect(asked.result).toMatchObject({ requestState: expect.any(String) });
  await killServer(one);

  const hang = (name: string) => ({ name: "hang", arguments: { begun: place.path(`${name}.begun`), ended: place.path(`${name}.ended`) } });
  const vanish = [new AbortController(), new AbortController()];
  const vanished = await openSession(other);
  const gone = [
    callStateless(other, hang("stateless"), vanish[0]?.signal),
    sendInSession(other, vanished, { method: "tools/call", params: hang("session") }, vanish[1]?.signal).then((answer) => answer.text()),
  ].map((going) => going.catch(() => "gone"));
  const all = (suffix: string) => ["stateless", "session"].every((name) => existsSync(place.path(`${name}.${suffix}`)));
  await expect.poll(() => all("begun"), { timeout: 20_000, interval: 20 }).toBe(true);
  for (const each of vanish) each.abort();
  expect(await Promise.all(gone)).toEqual(["gone", "gone"]);

  const listed = read(await (await sendInSession(other, session, { method: "tools/list" })).text());
  expect(JSON.stringify(listed.result)).toContain('"release"');
  const answers = { approval: { action: "accept", content: { decision: "approve" } } };
  const { requestState } = asked.result ?? {};
  const done = await callStateless(other, { name: "release", arguments: { version: "1.0" }, requestState, inputResponses: answers });
  expect(done.result?.structuredContent).toMatchObject({ released: "1.0" });
  expect(await readdir(place.path("workspace/runs"))).toHaveLength(1);
  const again = await callStateless(other, { name: "release", arguments: { version: "1.0" }, requestState, inputResponses: answers });
  expect(JSON.stringify(again)).toMatch(/approval_used/);
  expect(await readdir(place.path("workspace/runs"))).toHaveLength(1);
  await expect.poll(() => all("ended"), { timeout: 20_000, interval: 50 }).toBe(true);
});

test("a client at stdin has the answer to its first message while the store does not answer at all", async () => {
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as { port: number };
  const child = place.start(["mcp"], { env: { DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/none` } });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
  const line = await new Promise<string>((resolve) => child.stdout.once("data", (chunk: Buffer) => resolve(String(chunk))));
  expect(JSON.parse(line)).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18", serverInfo: { name: "toolwright" } } });
  child.kill("SIGKILL");
  silent.close();
});
