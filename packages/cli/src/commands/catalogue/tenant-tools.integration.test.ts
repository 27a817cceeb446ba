import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { openTestDatabase, type TestDatabase } from "@toolwright/postgres/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type ServedHere, serveHere } from "../../../test/serve-here.ts";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let cwd: string;
let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase("server");
});
afterAll(() => database.cleanup());
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-tenant-tools-"));
  await mkdir(join(cwd, "workspace"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const run = (...argv: string[]) => runIn(cwd, argv, { env: { DATABASE_URL: database.url } });
const json = async (...argv: string[]) => JSON.parse((await run(...argv, "--json")).out);
const inAcme = ["--tenant", "acme"];

const quote = `
name: quote
title: Quote
description: Makes a quote for a customer.
inputSchema: { type: object, properties: { euros: { type: number } }, required: [euros], additionalProperties: false }
outputSchema: { type: object, properties: { text: { type: string } }, required: [text], additionalProperties: false }
`;

async function write(name: string, text: string): Promise<string> {
  await writeFile(join(cwd, name), text);
  return name;
}

test("an override says what is named, leaves the rest, and is taken back word by word or whole", async () => {
  expect(await json("tools", "override", "exec", "--title", "Run", "--approval", "always_ask")).toMatchObject({ title: "Run" });
  const both = await json("tools", "override", "exec", "--timeout-ms", "30000", "--title", "");
  expect(both).toEqual({ tool: "exec", approval: "always_ask", visibility: {}, limits: { timeoutMs: 30_000 } });
  expect((await run("tools", "show", "exec")).out).toContain('Overridden in default: exec: approval "always_ask", timeoutMs 30000.');
  expect((await run("why", "exec", "--input", '{"command":"ls"}')).out).toMatch(/asks|approv/i);
  expect((await run("tools", "override", "exec", "--reset")).out).toContain("as its definition says");
  expect((await json("tools", "show", "exec")).override).toBeUndefined();
});

test("an override of one tenant is none of another, and nothing but narrowing is taken", async () => {
  await run("tools", "override", "file_read", "--title", "Acme reads", ...inAcme);
  expect((await json("tools", "show", "file_read", ...inAcme)).title).toBe("Acme reads");
  expect((await json("tools", "show", "file_read")).title).not.toBe("Acme reads");
  expect(await run("tools", "override", "file_read", "--timeout-ms", "99999999", ...inAcme)).toMatchObject({
    code: exitCodes.usage,
    err: expect.stringContaining("An override only narrows"),
  });
});

test.each<[string, readonly string[], RegExp]>([
  ["a mistyped tool", ["override", "file_raed", "--title", "x"], /no tool "file_raed".*Did you mean "file_read"\?/],
  ["nothing to override", ["override", "exec"], /Say what to override/],
  ["a reset with more", ["override", "exec", "--reset", "--title", "x"], /Leave the other options out/],
  ["a reset of nothing", ["override", "web_fetch", "--reset"], /overrides nothing of "web_fetch"/],
  ["an approval that widens", ["override", "exec", "--approval", "auto"], /only narrows/],
  ["a limit that is no number", ["override", "exec", "--timeout-ms", "soon"], /--timeout-ms is "soon"/],
  ["a file that is not there", ["add", "nowhere.yaml"], /nowhere\.yaml cannot be read/],
  ["a removal of a tool of code", ["remove", "exec"], /comes with the code/],
  ["versions of a tool of code", ["versions", "exec"], /comes with the code/],
  ["a tool that nobody has", ["show", "exek"], /Did you mean "exec"\?/],
])("refuses %s and says what to do", async (_, argv, expected) => {
  const { code, err } = await run("tools", ...argv);
  expect(err).toMatch(expected);
  expect(code).toBe(exitCodes.usage);
});

test("a tool of a tenant is added, changed with a version, shown as it was written, and removed", async () => {
  const added = await run("tools", "add", await write("quote.yaml", quote), ...inAcme);
  expect(added).toMatchObject({
    code: exitCodes.done,
    out: expect.stringContaining("version 1"),
    err: expect.stringContaining("not_executable"),
  });
  const shown = await json("tools", "show", "quote", ...inAcme);
  expect(shown).toMatchObject({ name: "quote", title: "Quote", group: "custom", execution: null });
  expect((await run("tools", "add", await write("again.json", JSON.stringify(shown)), ...inAcme)).out).toContain("version 1");
  await run("tools", "add", await write("more.yaml", quote.replaceAll("euros", "dollars")), ...inAcme);
  expect((await json("tools", "versions", "quote", ...inAcme)).map(({ version }: { version: number }) => version)).toEqual([2, 1]);
  expect((await run("tools", "override", "quote", "--title", "x", ...inAcme)).err).toContain("Change its file");
  expect((await run("tools", "show", "quote")).code).toBe(exitCodes.usage);
  expect((await run("tools", "remove", "quot", ...inAcme)).err).toContain('Did you mean "quote"?');
  expect(await json("tools", "remove", "quote", ...inAcme)).toEqual({ removed: "quote" });
  expect((await run("tools", "versions", "quote", ...inAcme)).out).toMatch(/^2 /m);
});

test("a tool is read from stdin, which messages name", async () => {
  const add = (text: string) =>
    runIn(cwd, ["tools", "add", "-", ...inAcme], { env: { DATABASE_URL: database.url }, readStdin: async () => text });
  expect((await add(quote.replace("name: quote", "name: piped"))).out).toContain("the tool piped, with version 1");
  expect((await add("name: piped\n")).err).toMatch(/^stdin: description: missing: /);
  expect((await add("name: [")).err).toMatch(/^stdin is neither YAML nor JSON/);
  await run("tools", "remove", "piped", ...inAcme);
});

test.each<[string, string, RegExp]>([
  ["an unknown member", quote.replace("title:", "titel:"), /tool\.yaml: titel: unknown member\. Did you mean "title"\?/],
  ["no name", quote.replace(/^name.*$/m, ""), /tool\.yaml: name: missing: /],
  ["a name by the word of the operation", quote.replace("name:", "tool:"), /tool\.yaml: tool: unknown member\. Did you mean "name"\?/],
  ["a missing member", quote.replace(/^description.*$/m, ""), /description: /],
  ["an unknown limit", `${quote}limits: { timeout: 5 }\n`, /tool\.yaml: limits\.timeout: unknown member\. Did you mean "timeoutMs"\?/],
  ["text that is no YAML", "name: [", /neither YAML nor JSON/],
  ["the name of a tool of code", quote.replace("name: quote", "name: exec"), /"exec" is taken/],
  ["a schema that providers refuse", quote.replace("{ type: object, properties: { euros", "{ type: array, properties: { euros"), /schema/],
  ["a list", "- a\n", /the whole: /],
])("refuses a file with %s", async (_, text, expected) => {
  const { code, err } = await run("tools", "add", await write("tool.yaml", text), ...inAcme);
  expect(err).toMatch(expected);
  expect(code).not.toBe(exitCodes.done);
  expect((await run("tools", "show", "quote", ...inAcme)).code).toBe(exitCodes.usage);
});

describe("a server that runs meanwhile", () => {
  let server: ServedHere;
  let client: Client;
  beforeAll(async () => {
    server = await serveHere([], { DATABASE_URL: database.url ?? "" });
    client = new Client({ name: "notes", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`)));
  });
  afterAll(async () => {
    await client.close();
    await server.stop();
  });
  const listed = async (name: string) => (await client.listTools()).tools.find((tool) => tool.name === name);

  test("lists an override and a tool of the tenant to its MCP clients at once, and forgets them as fast", async () => {
    // Less than the five seconds after which every process looks again.
    const soon = { timeout: 3_000, interval: 20 };
    await run("tools", "override", "file_read", "--description", "Reads what is ours.");
    await vi.waitFor(async () => expect((await listed("file_read"))?.description).toContain("Reads what is ours."), soon);
    await run("tools", "add", await write("quote.yaml", quote));
    await vi.waitFor(async () => expect((await listed("quote"))?.inputSchema).toMatchObject({ required: ["euros"] }), soon);
    const called = await client.callTool({ name: "quote", arguments: { euros: 5 } });
    expect(JSON.stringify(called)).toContain("nothing that runs such tools");
    await run("tools", "override", "file_read", "--reset");
    await run("tools", "remove", "quote");
    await vi.waitFor(async () => expect(await listed("quote")).toBeUndefined(), soon);
    expect((await listed("file_read"))?.description).not.toContain("Reads what is ours.");
  });
});
