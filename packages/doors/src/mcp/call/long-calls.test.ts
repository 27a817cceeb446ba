import { defineTool } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { connect, countingTool, eras, openDoor } from "../../../test/mcp-client.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Says how patient its caller is, and waits until it is told to go on. */
function openLong() {
  const going = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const long = defineTool({
    name: "long",
    description: "Takes long.",
    policyNote: ({ sandbox }) => `At most ${sandbox.timeoutMs / 1000} s.`,
    input: z.object({}),
    output: z.object({ ms: z.number(), renewable: z.boolean() }),
    async run(_, { patience, output }) {
      output.append("begun\n");
      started.resolve();
      await going.promise;
      return patience ?? { ms: -1, renewable: false };
    },
  });
  const opened = openDoor({ engine: { tools: [long, countingTool().tool] }, door: { patienceMs: 30_000, progressMs: 2_000 } });
  closing.push(
    () => opened.door.close(),
    () => opened.engine.close(),
  );
  return { ...opened, started: started.promise, go: going.resolve };
}

describe.each(eras)("a long call of a $era client", ({ mode }) => {
  it("tells a client that asked for progress that it runs, and what it puts out", async () => {
    const { door, clock, started, go } = openLong();
    const client = await connect(door, { mode });
    closing.push(() => client.close());
    const heard: { progress: number; message?: string }[] = [];
    const calling = client.callTool({ name: "long", arguments: {} }, { onprogress: (word) => void heard.push(word) });
    await started;
    await clock.advance(10_000);
    go();
    expect((await calling).structuredContent).toEqual({ ms: 30_000, renewable: true });
    expect(heard.length).toBeGreaterThanOrEqual(4);
    expect(heard.map(({ progress }) => progress)).toEqual(heard.map(({ progress }) => progress).toSorted((a, b) => a - b));
    expect(heard[0]?.message).toBe("begun");
  });

  it("tells nothing to one that did not, whose patience ends", async () => {
    const { door, clock, started, go } = openLong();
    const client = await connect(door, { mode });
    closing.push(() => client.close());
    const calling = client.callTool({ name: "long", arguments: {} });
    await started;
    await clock.advance(10_000);
    go();
    expect((await calling).structuredContent).toEqual({ ms: 30_000, renewable: false });
  });

  it("says in its description what the policy in force allows, and again when that changes", async () => {
    const { door, engine } = openLong();
    const client = await connect(door, { mode });
    closing.push(() => client.close());
    const described = async () => (await client.listTools()).tools.find(({ name }) => name === "long")?.description;
    expect(await described()).toBe("Takes long. At most 60 s.");
    engine.setPolicy([{ tier: "platform", document: { version: 1, sandbox: { timeout_seconds: 7 } } }]);
    expect(await described()).toBe("Takes long. At most 7 s.");
  });
});

describe("a person at a client of 2025-11-25", () => {
  it("has the time that they need: the client hears that it waits for them", async () => {
    const { door, clock } = openLong();
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<{ action: "decline" }>();
    const client = await connect(door, {
      mode: "legacy",
      client: { capabilities: { elicitation: {} } },
      prepare: (made) =>
        made.setRequestHandler("elicitation/create", () => {
          asked.resolve();
          return answer.promise;
        }),
    });
    closing.push(() => client.close());
    const heard: { progress: number; message?: string }[] = [];
    const calling = client.callTool({ name: "pay", arguments: { to: "bob" } }, { onprogress: (word) => void heard.push(word) });
    await asked.promise;
    await clock.advance(6_000);
    answer.resolve({ action: "decline" });
    await calling;
    expect(heard.map(({ message }) => message)).toContain("Waiting for a person for 4 s");
  });
});
