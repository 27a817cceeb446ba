import { defineTool } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { connect, eras, openDoor, textOf } from "../../../test/mcp-client.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(mode: (typeof eras)[number]["mode"]) {
  let runs = 0;
  const count = defineTool({
    name: "count",
    description: "Counts its runs.",
    input: z.object({ by: z.int() }),
    output: z.object({ runs: z.int() }),
    run: () => ({ runs: ++runs }),
  });
  const { door, engine } = openDoor({ engine: { tools: [count] } });
  const client = await connect(door, { mode });
  closing.push(
    () => door.close(),
    () => engine.close(),
    () => client.close(),
  );
  return (by: number, key: unknown) =>
    client.callTool({ name: "count", arguments: { by }, _meta: { "dev.toolwright/idempotency-key": key } });
}

describe.each(eras)("a $era client that sends an idempotency key (R-AU-4)", ({ mode }) => {
  it("is answered as the first time, and told that nothing ran", async () => {
    const call = await open(mode);
    const first = await call(1, "k1");
    const again = await call(1, "k1");
    expect(again.structuredContent).toEqual({ runs: 1 });
    expect(first._meta?.["dev.toolwright/call"]).not.toHaveProperty("replayed");
    expect(again._meta?.["dev.toolwright/call"]).toMatchObject({ replayed: true });
    expect(textOf(again)).toContain("Nothing ran now");
    expect((await call(1, "k2")).structuredContent).toEqual({ runs: 2 });
  });

  it("is refused when the input is another", async () => {
    const call = await open(mode);
    await call(1, "k1");
    const other = await call(2, "k1");
    expect(other.isError).toBe(true);
    expect(textOf(other)).toContain("idempotency_mismatch");
  });

  it("gets a protocol error for a key that is no string", async () => {
    const call = await open(mode);
    await expect(call(1, 7)).rejects.toMatchObject({ code: -32602 });
  });
});
