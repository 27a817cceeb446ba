import { defineTool } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { modernRequest, openDoor } from "../../../test/mcp-client.ts";

const looks = defineTool({
  name: "looks",
  description: "Looks somewhere.",
  input: z.object({
    region: z.string().meta({ "x-mcp-header": "Region" }),
    within: z.object({ size: z.int().meta({ "x-mcp-header": "Size" }) }).nullish(),
  }),
  output: z.object({ region: z.string() }),
  run: ({ region }) => ({ region }),
});

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function open() {
  const { door, engine } = openDoor({ engine: { tools: [looks] } });
  closing.push(
    () => door.close(),
    () => engine.close(),
  );
  return door;
}

/** By the direct path, and with a member that only the protocol layer reads. */
const ways = [{}, { "test.example/veil": true }];

async function ask(input: Record<string, unknown>, headers: Record<string, string>) {
  const door = open();
  const answers = await Promise.all(
    ways.map((meta) => door.fetch(modernRequest("tools/call", { name: "looks", arguments: input }, { headers, meta }))),
  );
  const [plain, layered] = await Promise.all(
    answers.map(async (answer) => ({ status: answer.status, body: (await answer.json()) as { error?: unknown } })),
  );
  expect(plain?.status).toBe(layered?.status);
  expect(plain?.body.error).toEqual(layered?.body.error);
  return plain;
}

describe("the header that repeats a member of the input", () => {
  it.each([
    ["as it is", { region: "eu" }, { "mcp-param-region": "eu" }],
    ["in Base64", { region: "Zürich" }, { "mcp-param-region": `=?base64?${Buffer.from("Zürich").toString("base64")}?=` }],
    ["without a wrapper, which is no Base64", { region: "SGVsbG8=" }, { "mcp-param-region": "SGVsbG8=" }],
    ["as an equal number", { region: "eu", within: { size: 42 } }, { "mcp-param-region": "eu", "mcp-param-size": "42.0" }],
    ["when its member is absent", { region: "eu" }, { "mcp-param-region": "eu", "mcp-param-size": "7" }],
    ["when its member is null", { region: "eu", within: null }, { "mcp-param-region": "eu" }],
  ] as [string, Record<string, unknown>, Record<string, string>][])("is taken %s", async (_, input, headers) => {
    expect(await ask(input, headers)).toMatchObject({ status: 200, body: { result: { resultType: "complete" } } });
  });

  it.each([
    ["that is absent", {}],
    ["that says something else", { "mcp-param-region": "us" }],
    ["with wrong padding", { "mcp-param-region": "=?base64?ZXU?=" }],
    ["with characters that are not Base64's", { "mcp-param-region": "=?base64?ZX!!?=" }],
    ["with bytes that are no text", { "mcp-param-region": "=?base64?/w==?=" }],
  ] as [string, Record<string, string>][])("is refused %s", async (_, headers) => {
    const refused = await ask({ region: "eu" }, headers);
    expect(refused).toMatchObject({
      status: 400,
      body: { id: 1, error: { code: -32020, data: { mismatch: { header: "Mcp-Param-Region" } } } },
    });
  });

  it("is named in the list of tools", async () => {
    const answer = await open().fetch(modernRequest("tools/list"));
    const { result } = (await answer.json()) as { result: { tools: { inputSchema: unknown }[] } };
    expect(result.tools[0]?.inputSchema).toMatchObject({
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
    });
  });
});
