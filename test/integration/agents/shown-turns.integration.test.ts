import type { ServerResponse } from "node:http";
import { resumeLostTurns } from "@toolwright/agents";
import type { Json } from "@toolwright/engine";
import { chunksFor, silentLogger } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import type { UIMessage, UIMessageChunk } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import type { ScriptedAnswer } from "../../../examples/scripted-model.ts";
import { ann, call, personAt, World } from "./agents-world.ts";
import { messageOf, partsOf } from "./ui-messages.ts";

let world: World;
const open = async (...script: ScriptedAnswer[]) => {
  world = await World.open(script);
  return world;
};
afterEach(() => world.close());

const run = { agent: "assistant", message: "Go." };
const turnOf = async () => (await world.turns.list("acme", {})).at(0)?.id ?? "";

/** Everything that somebody has been given who looked at each of these moments. */
class Viewer {
  readonly chunks: Json[] = [];
  #after = 0;

  async look(): Promise<void> {
    for (const part of await world.stream.read({ tenant: "acme", id: await turnOf() }, this.#after)) {
      this.chunks.push(...chunksFor(part, this.#after));
      this.#after = part.position;
    }
  }

  /** As `useChat` has it. */
  message(): Promise<UIMessage> {
    return messageOf(ReadableStream.from(this.chunks as unknown as UIMessageChunk[]));
  }
}

describe("what people see of a turn", () => {
  it("gives who has seen the pieces of a step what came after them, too", async () => {
    await open([call("slow", "a")], "Done.");
    const slow = new Promise<void>((resolve) => {
      world.onSlow = resolve;
    });
    const running = personAt(world.start()).invokeNamed("agent_run", run);
    await slow;
    await world.clock.advance(1_000);
    const viewer = new Viewer();
    await viewer.look();
    world.endSlow();
    await running;
    await viewer.look();
    expect(partsOf(await viewer.message())).toContain("tool-slow output-available");
  });

  it("has calls, what they wait for and what came of it, and each text once, whenever somebody looks", async () => {
    await open([call("note", "a"), call("pay", "b")], "Paid.");
    const engine = world.start();
    const early = new Viewer();
    await personAt(engine).invokeNamed("agent_run", run);
    await early.look();
    expect(partsOf(await early.message())).toEqual(["step-start", "tool-note output-available", "tool-pay approval-requested"]);
    const types = early.chunks.map((chunk) => (chunk as unknown as UIMessageChunk).type);
    expect(types.filter((type) => type === "tool-output-available" || type === "tool-approval-request")).toHaveLength(2);
    const [asked] = await personAt(engine).approvals();
    await personAt(engine).answer(asked?.record.id ?? "", { kind: "approve" });
    await world.start().resumeDue();
    await early.look();
    const late = new Viewer();
    await late.look();
    const whole = ["step-start", "tool-note output-available", "tool-pay output-available", "step-start", "text Paid."];
    expect(partsOf(await early.message())).toEqual(whole);
    expect(partsOf(await late.message())).toEqual(whole);
    const pay = (await late.message()).parts.find(({ type }) => type === "tool-pay");
    expect(pay).toMatchObject({ output: { status: "done", output: { text: "pay did b" } } });
  });

  it("is a stream that ends with the turn, for its person alone", async () => {
    await open([call("note", "a")], "Noted.");
    const engine = world.start();
    await personAt(engine).invokeNamed("agent_run", run);
    const id = await turnOf();
    const { signal } = new AbortController();
    const chunks: unknown[] = [];
    for await (const part of await engine.follow(ann, "turns.watch", { id }, { signal }))
      chunks.push(...(part as { chunks: unknown[] }).chunks);
    expect(chunks.at(0)).toEqual({
      type: "start",
      messageId: id,
      messageMetadata: { conversation: expect.any(String), agent: "assistant" },
    });
    expect(chunks.at(-1)).toEqual({ type: "finish" });
    const bob = { ...ann, actor: { kind: "user", id: "bob" } } as const;
    await expect(engine.follow(bob, "turns.watch", { id }, { signal })).rejects.toMatchObject({ code: "turn_not_found" });
  });

  it("is all there when the turn has ended, however slowly it is written", async () => {
    await open("Hello.");
    const { settle } = world.stream;
    const slowly: typeof settle = async (...step) => {
      for (let round = 0; round < 20; round += 1) await new Promise((resolve) => setImmediate(resolve));
      await settle(...step);
    };
    Object.assign(world.stream, { settle: slowly });
    const atEnd = Promise.withResolvers<readonly unknown[]>();
    const stop = world.turns.follow("acme", async () => {
      const [turn] = await world.turns.list("acme", { states: ["done"] });
      if (turn) atEnd.resolve(await world.stream.read(turn, 0));
    });
    await personAt(world.start()).invokeNamed("agent_run", run);
    expect(JSON.stringify(await atEnd.promise)).toContain("Hello.");
    stop();
  });

  it("drops what came of an answer that broke off, in the same process and in another one", async () => {
    const half = Promise.withResolvers<void>();
    const beginning = (outgoing: ServerResponse) => {
      outgoing.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = {
        id: "c",
        object: "chat.completion.chunk",
        created: 0,
        model: "m",
        choices: [{ index: 0, delta: { content: "Half" } }],
      };
      outgoing.write(`data: ${JSON.stringify(chunk)}\n\n`);
      half.resolve();
    };
    await open(beginning, "Whole.");
    const clock = createManualClock(world.clock.now());
    void personAt(world.start({ clock })).invokeNamed("agent_run", run);
    await half.promise;
    const early = new Viewer();
    // Until the text has come through the connection.
    for (let look = 0; look < 200 && !JSON.stringify(early.chunks).includes("Half"); look += 1) {
      await clock.advance(250);
      await early.look();
    }
    expect(partsOf(await early.message())).toEqual(["step-start", "text Half"]);
    await world.clock.advance(60 * 60_000);
    await resumeLostTurns({ engine: world.start(), turns: world.turns, clock: world.clock, logger: silentLogger });
    await early.look();
    expect(partsOf(await early.message()).filter((part) => part !== "step-start")).toEqual(["text Whole."]);
  });
});
