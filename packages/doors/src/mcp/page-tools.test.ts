import { defineTool } from "@toolwright/engine";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { connect, eras, openDoor } from "../../test/mcp-client.ts";
import { pageTools } from "./page-tools.ts";

const nameOf = (index: number) => `tool_${String(index).padStart(3, "0")}`;
const make = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    defineTool({ name: nameOf(index), description: "Does nothing.", input: z.object({}), output: z.object({}), run: () => ({}) }),
  );
const wire = (count: number) => make(count).map(({ name }) => ({ name, inputSchema: { type: "object" as const } }));

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  closing = [];
});

it.each(eras)("a $era client gets 450 tools in three pages, each once and in order", async ({ mode }) => {
  const { door, engine } = openDoor({ engine: { tools: make(450) } });
  const client = await connect(door, { mode });
  closing.push(
    () => door.close(),
    () => engine.close(),
    () => client.close(),
  );
  const sizes: number[] = [];
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page: { tools: { name: string }[]; nextCursor?: string | undefined } = await client.request({
      method: "tools/list",
      params: cursor === undefined ? {} : { cursor },
    });
    sizes.push(page.tools.length);
    names.push(...page.tools.map(({ name }) => name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(sizes).toEqual([200, 200, 50]);
  expect(names).toEqual(Array.from({ length: 450 }, (_, index) => nameOf(index)));
});

it("200 tools are one page", () => expect(pageTools(wire(200), undefined)).not.toHaveProperty("nextCursor"));

it("a tool that goes between two pages hides no other", () => {
  const { nextCursor } = pageTools(wire(201), undefined);
  const left = wire(201).filter(({ name }) => name !== nameOf(199));
  expect(pageTools(left, nextCursor).tools.map(({ name }) => name)).toEqual([nameOf(200)]);
});

it.each(["", "x", "YWZ0ZXI", Buffer.from("after ../x").toString("base64url"), `${Buffer.from("after add").toString("base64url")}=`])(
  "a made-up cursor %j is refused",
  (cursor) => expect(() => pageTools(wire(1), cursor)).toThrow("Unknown cursor"),
);
