import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createToolwright } from "@toolwright/server";
import wordCount from "../first-tool/word-count.tool.ts";

const workspace = await mkdtemp(join(tmpdir(), "embedded-server-"));
await writeFile(join(workspace, "notes.txt"), "three short words");
const accounts = new Map([["Bearer ann-secret", "ann"]]);

// #region mount
const toolwright = await createToolwright({
  workspace,
  tools: [wordCount],
  policy: { allow: ["word_count"] },
  identify(request) {
    const user = accounts.get(request.headers.get("authorization") ?? "");
    return user === undefined ? undefined : { tenant: "default", actor: { kind: "user", id: user } };
  },
});
const app = (request: Request) => (new URL(request.url).pathname === "/mcp" ? toolwright.fetch(request) : new Response("My program."));
// #endregion

// #region call
const scope = toolwright.engine.scope({ tenant: "default", actor: { kind: "user", id: "ann" } });
const counted = await scope.invoke("word_count", { path: "notes.txt" });
// #endregion
assert.equal(counted.status, "done");
assert.equal(counted.output.words, 3);

const url = new URL("http://127.0.0.1/mcp");
const connect = async (authorization: string) => {
  const client = new Client({ name: "example", version: "1.0.0" });
  const send = async (input: string | URL, init?: RequestInit) => app(new Request(input, init));
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: send, requestInit: { headers: { authorization } } }));
  return client;
};
const client = await connect("Bearer ann-secret");
assert.deepEqual(
  (await client.listTools()).tools.map(({ name }) => name),
  ["word_count"],
);
const overMcp = await client.callTool({ name: "word_count", arguments: { path: "notes.txt" } });
assert.deepEqual(overMcp.structuredContent, { words: 3 });
await client.close();
await assert.rejects(connect("Bearer a-stranger"));

await toolwright.close();
await rm(workspace, { recursive: true });
console.log("embedded-server: the program and an MCP client counted 3 words, and a stranger was refused.");
