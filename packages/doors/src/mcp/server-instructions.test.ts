import { afterEach, describe, expect, it } from "vitest";
import { connect, eras, openDoor } from "../../test/mcp-client.ts";

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  closing = [];
});

describe.each(eras)("a $era client is told how to use the server", ({ mode }) => {
  const instructionsOf = async (door: Parameters<typeof openDoor>[0]) => {
    const opened = openDoor(door);
    const client = await connect(opened.door, { mode });
    closing.push(
      () => opened.door.close(),
      () => opened.engine.close(),
      () => client.close(),
    );
    return client.getInstructions();
  };

  it("in three sentences on approvals, background runs and artifacts", async () => {
    const sentences = (await instructionsOf({}))?.split(/(?<=\.) /);
    expect(sentences).toEqual([
      expect.stringContaining("approval"),
      expect.stringContaining("background"),
      expect.stringContaining("artifact"),
    ]);
  });

  it("or in the words of whoever embeds it", async () => {
    expect(await instructionsOf({ door: { instructions: "Ask first." } })).toBe("Ask first.");
  });
});
