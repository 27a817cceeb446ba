import type { ClientOptions } from "@modelcontextprotocol/client";
import { defineTool } from "@toolwright/engine";
import type { ViewSpec } from "@toolwright/engine/catalogue";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { add, connect, type EraMode, eras, modernRequest, openDoor } from "../../test/mcp-client.ts";

const appType = "text/html;profile=mcp-app";
const html = '<!doctype html><script type="application/json" id="view">null</script>';
const view: ViewSpec = { version: 1, blocks: [{ block: "table", title: "</script><script>$&", data: "/rows" }] };
const rows = defineTool({
  name: "rows",
  description: "Gives rows.",
  input: z.object({}),
  output: z.object({ rows: z.array(z.object({ name: z.string() })) }),
  presentation: { view },
  run: () => ({ rows: [{ name: "one" }] }),
});
const hidden = defineTool({ ...rows, name: "hidden", permission: "rows:hidden" });
const capable: ClientOptions = { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [appType] } } } };

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  closing = [];
});

async function open(mode: EraMode, { client: declared = capable, viewApp = (): string | undefined => html } = {}) {
  const { door } = openDoor({ engine: { tools: [add, hidden, rows] }, door: { viewApp } });
  const client = await connect(door, { mode, client: declared });
  closing.push(
    () => door.close(),
    () => client.close(),
  );
  const tools = async () => (await client.listTools()).tools.map(({ name, _meta }) => [name, _meta?.ui]);
  return { client, door, tools };
}

/** What the app for a tool finds in its file. */
async function viewIn({ client }: Awaited<ReturnType<typeof open>>, tool: string) {
  const [content] = (await client.readResource({ uri: `ui://toolwright/${tool}` })).contents;
  const text = content && "text" in content ? content.text : "";
  const [, json = ""] = /id="view">(.*)<\/script>$/.exec(text) ?? [];
  return { content, json, view: JSON.parse(json) as Record<string, unknown> };
}

describe.each(eras)("a $era client", ({ mode }) => {
  it("is led from each tool with a view to an app, where it shows apps", async () => {
    const { client, tools } = await open(mode);
    expect(await tools()).toEqual([
      ["add", undefined],
      ["rows", { resourceUri: "ui://toolwright/rows" }],
    ]);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([["ui://toolwright/rows", appType]]);
  });

  it.each<{ what: string; client: ClientOptions }>([
    { what: "says nothing of apps", client: {} },
    { what: "shows other apps", client: { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } } } } },
    { what: "does not say what it shows", client: { capabilities: { extensions: { "io.modelcontextprotocol/ui": {} } } } },
  ])("that $what is told of none", async ({ client: declared }) => {
    const { client, tools } = await open(mode, { client: declared });
    expect(await tools()).toEqual([
      ["add", undefined],
      ["rows", undefined],
    ]);
    expect((await client.listResources()).resources).toEqual([]);
  });

  it("is told of none while none is built", async () => {
    const { client, tools } = await open(mode, { viewApp: () => undefined });
    expect(await tools()).toEqual([
      ["add", undefined],
      ["rows", undefined],
    ]);
    await expect(client.readResource({ uri: "ui://toolwright/rows" })).rejects.toMatchObject({
      message: expect.stringMatching(/not found/),
    });
  });

  it("reads the app with the view in it, whose texts end no element", async () => {
    const { content, json, view: given } = await viewIn(await open(mode), "rows");
    expect(content).toMatchObject({ uri: "ui://toolwright/rows", mimeType: appType, _meta: { ui: { prefersBorder: true } } });
    expect(json).not.toContain("<");
    expect(given).toEqual({ title: "Rows", view, notes: "notes" });
  });

  it.each([
    { what: "it does not see", uri: "ui://toolwright/hidden" },
    { what: "there is not", uri: "ui://toolwright/unknown" },
    { what: "has no view", uri: "ui://toolwright/add" },
    { what: "is named by a path", uri: "ui://toolwright/rows/.." },
  ])("finds no app for a tool that $what", async ({ uri }) => {
    const { client } = await open(mode);
    await expect(client.readResource({ uri })).rejects.toMatchObject({ message: expect.stringMatching(/not found/) });
  });
});

it("a list says the same with and without the protocol layer", async () => {
  const { door } = await open("legacy");
  const meta = { "io.modelcontextprotocol/clientCapabilities": capable.capabilities };
  const requests = [{}, { "example.org/of-no-plain-request": true }].map((more) =>
    modernRequest("tools/list", {}, { meta: { ...meta, ...more } }),
  );
  const [plain, layered] = await Promise.all(requests.map(async (request) => (await door.fetch(request)).json()));
  expect(plain).toEqual(layered);
  expect(JSON.stringify(plain)).toContain('"ui":{"resourceUri":"ui://toolwright/rows"}');
});
