import { setImmediate as nextRound } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findOversize, JsonMeter, readChunks, readText } from "./read-body.ts";

const kib64 = 64 * 1024;

/** A body whose pieces are all there at once, as those of a socket that holds them. */
function post(...pieces: readonly Uint8Array[]) {
  let given = 0;
  const body = ReadableStream.from(
    (function* () {
      for (const piece of pieces) {
        given += 1;
        yield piece;
      }
    })(),
  );
  return { request: new Request("http://127.0.0.1/", { method: "POST", body, duplex: "half" }), given: () => given };
}

const cut = (bytes: Uint8Array, length: number) =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, at) => bytes.subarray(at * length, (at + 1) * length));

describe("a body", () => {
  const megabyte = new Uint8Array(16 * kib64).fill(0x61);

  it.each<[string, (request: Request) => Promise<unknown>]>([
    ["that is kept", (request) => readChunks(request, 1e9)],
    ["that is too large", (request) => readChunks(request, kib64)],
    ["that is refused", (request) => readChunks(request, 1e9, () => false)],
    ["of text", (request) => readText(request, 1e9)],
    ["of JSON", (request) => readText(request, 1e9, new JsonMeter(8))],
  ])("%s leaves the thread to others after each 64 KiB", async (_name, read) => {
    const { request, given } = post(...cut(megabyte, kib64 / 4));
    const seen: number[] = [];
    let isOver = false;
    const others = (async () => {
      for (; !isOver; await nextRound()) seen.push(given());
    })();
    await read(request);
    isOver = true;
    await others;
    const steps = seen.map((count, at) => count - (seen[at - 1] ?? 0));
    // A piece or two are read ahead.
    expect(Math.max(...steps)).toBeLessThanOrEqual(6);
    expect(given()).toBe(64);
  });

  it("of very small pieces leaves the thread to others, too", async () => {
    const { request, given } = post(...cut(megabyte.subarray(0, 2_000), 1));
    let most = 0;
    const others = (async () => {
      for (let before = 0; before < 2_000; before = given(), await nextRound()) most = Math.max(most, given() - before);
    })();
    await Promise.all([readChunks(request, 1e9), others]);
    expect(most).toBeLessThan(300);
  });

  it("is read as the same text in pieces of any size", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (text, length) => {
        const bytes = new TextEncoder().encode(text);
        expect(await readText(post(...cut(bytes, length)).request, 1_000)).toEqual({ text });
      }),
    );
  });

  it.each([
    ["a byte that begins nothing", [0x61, 0xff], 1],
    ["half a character at its end", [0x61, 0xe2, 0x82], 1],
    ["half a character before others", [0xe2, 0x82, 0x61], 2],
  ])("with %s is no text", async (_name, bytes, length) => {
    expect(await readText(post(...cut(Uint8Array.from(bytes), length)).request, 100)).toEqual({ fault: "not_utf8" });
  });

  it("over its limit is refused as too large, also where it is no text", async () => {
    expect(await readText(post(Uint8Array.of(0xff), new Uint8Array(100)).request, 100)).toEqual({ fault: "too_large" });
  });
});

describe("JSON that is too large", () => {
  it("is found in pieces of any size", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 5 }), (text, length, maxDepth) => {
        const meter = new JsonMeter(maxDepth);
        for (let at = 0; at < text.length; at += length) meter.add(text.slice(at, at + length));
        expect(meter.oversize).toBe(findOversize(text, maxDepth));
      }),
    );
  });

  it.each([1, 2, 3])("is none in brackets behind a backslash, in pieces of %i", (length) => {
    const text = '["\\\\","[\\"[[","\\\\\\"[[["]';
    const meter = new JsonMeter(1);
    for (let at = 0; at < text.length; at += length) expect(meter.add(text.slice(at, at + length))).toBe(true);
  });

  it("is let go where it gets too large, however long it is", async () => {
    const bytes = new TextEncoder().encode(`{${'"a":0,'.repeat(100_000)}"b":0}`);
    const read = await readText(post(...cut(bytes, 1_000)).request, 1e9, new JsonMeter(8));
    expect(read).toMatchObject({ fault: "oversize", oversize: expect.stringContaining("20000 members") });
  });
});
