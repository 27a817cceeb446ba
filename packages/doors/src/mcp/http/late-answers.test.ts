import { defineTool } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { connect, modernRequest, openDoor, send } from "../../../test/mcp-client.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A door with a tool that waits until it is told to go on. */
function open() {
  const going = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  let aborted = false;
  const wait = defineTool({
    name: "wait",
    description: "Waits until it is told to go on.",
    input: z.object({ tells: z.boolean() }),
    output: z.object({ text: z.string() }),
    async run({ tells }, { signal, progress }) {
      signal.addEventListener("abort", () => {
        aborted = true;
        going.resolve();
      });
      started.resolve();
      await going.promise;
      if (tells) progress(1, 2, "half");
      return { text: "two\nlines" };
    },
  });
  // Time itself is progress, too: not before what these tests wait for.
  const opened = openDoor({ engine: { tools: [wait] }, door: { progressMs: 3_600_000 } });
  closing.push(
    () => opened.door.close(),
    () => opened.engine.close(),
  );
  return { ...opened, started: started.promise, go: going.resolve, wasAborted: () => aborted };
}

const call = (tells: boolean, extra: Parameters<typeof modernRequest>[2] = {}) =>
  modernRequest("tools/call", { name: "wait", arguments: { tells } }, extra);

/** What comes until the stream ends. */
async function framesOf(response: Response): Promise<readonly string[]> {
  return (await response.text()).split("\n\n").filter((frame) => frame !== "");
}

describe("a call that takes long", () => {
  it("is a stream that lives, and brings the answer in the end", async () => {
    const { door, clock, started, go } = open();
    const answering = door.fetch(call(false));
    await started;
    await clock.advance(15_000);
    const response = await answering;
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    const frames = framesOf(response);
    await clock.advance(31_000);
    go();
    const [last, ...before] = (await frames).toReversed();
    expect(before).toEqual([": keepalive", ": keepalive", ": keepalive"]);
    const [event, data = "", ...more] = (last ?? "").split("\n");
    expect([event, more]).toEqual(["event: message", []]);
    expect(JSON.parse(data.slice("data: ".length))).toMatchObject({ id: 1, result: { structuredContent: { text: "two\nlines" } } });
  });

  it("brings its progress, too, when it begins to tell late", async () => {
    const { door, clock, started, go } = open();
    const answering = door.fetch(call(true, { meta: { progressToken: "p" } }));
    await started;
    await clock.advance(15_000);
    const frames = framesOf(await answering);
    go();
    const methods = (await frames).flatMap((frame) => /"method":"([^"]+)"|"result":/.exec(frame)?.slice(1) ?? []);
    expect(methods).toEqual(["notifications/progress", undefined]);
  });

  it("is understood by the official client", async () => {
    const { door, clock, started, go } = open();
    const client = await connect(door, { mode: { pin: "2026-07-28" } });
    closing.push(() => client.close());
    const calling = client.callTool({ name: "wait", arguments: { tells: false } });
    await started;
    await clock.advance(40_000);
    go();
    expect(await calling).toMatchObject({ structuredContent: { text: "two\nlines" } });
  });

  it("ends when its client goes away", async () => {
    const { door, clock, started, wasAborted } = open();
    const gone = new AbortController();
    const { method, headers, body, url } = call(false);
    const answering = door.fetch(send({ method, headers, body, duplex: "half", signal: gone.signal } as RequestInit, url));
    await started;
    await clock.advance(15_000);
    const response = await answering;
    gone.abort();
    await response.body?.cancel();
    await clock.advance(0);
    expect(wasAborted()).toBe(true);
  });

  it("is no stream for a client that reads none", async () => {
    const { door, clock, started, go } = open();
    const answering = door.fetch(call(false, { headers: { accept: "application/json" } }));
    await started;
    await clock.advance(60_000);
    go();
    expect((await answering).headers.get("content-type")).toContain("application/json");
  });
});

it("a call that ends soon is no stream", async () => {
  const { door, go } = open();
  go();
  expect((await door.fetch(call(false))).headers.get("content-type")).toContain("application/json");
});
