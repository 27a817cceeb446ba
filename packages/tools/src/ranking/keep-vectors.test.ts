import type { Embedder, PendingVector, VectorIndex } from "@toolwright/engine/ports";
import { createManualClock } from "@toolwright/engine/testing";
import { describe, expect, it } from "vitest";
import { askVectors } from "./ask-vectors.ts";
import { startVectors } from "./keep-vectors.ts";
import { readQuery } from "./read-query.ts";

/** Texts in memory that wait for vectors. Lets go of who waits for `settled` whenever some were kept. */
function createIndex(texts: Record<string, string>) {
  const kept = new Map<string, string>();
  const listeners = new Set<() => void>();
  let settled = Promise.withResolvers<void>();
  const index: VectorIndex = {
    unavailable: async () => undefined,
    async pending(model, { limit }) {
      const waiting = Object.keys(texts).filter((id) => kept.get(id) !== model);
      return waiting.slice(0, limit).map((id): PendingVector => ({ tenant: "acme", owner: "agent:a", id, mark: 1, text: texts[id] ?? "" }));
    },
    async keep(model, vectors) {
      for (const { id } of vectors) kept.set(id, model);
      if (Object.keys(texts).every((id) => kept.get(id) === model)) settled.resolve();
    },
    onPending(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return {
    index,
    kept,
    listeners,
    async untilAllKept() {
      await settled.promise;
      settled = Promise.withResolvers();
    },
  };
}

function createEmbedder(
  model: string,
  { fails = (): boolean => false, languages = [] as string[] } = {},
): Embedder & { readonly asked: string[][] } {
  const asked: string[][] = [];
  return {
    ...{ model, dimensions: 2, languages, asked },
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      asked.push([...texts]);
      if (fails()) throw new Error("No electricity.");
      return texts.map(() => new Float32Array([1, 0]));
    },
  };
}

describe("the loop of vectors", () => {
  it("loads nothing at first, works off what is told of in batches, looks by itself, and makes all anew for another model", async () => {
    const texts = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`m${at}`, `text ${at}`]));
    const { index, kept, listeners, untilAllKept } = createIndex(texts);
    const clock = createManualClock();
    let embedder = createEmbedder("one");
    let opened = 0;
    const open = async () => {
      opened += 1;
      return embedder;
    };
    const lines: unknown[] = [];
    const stop = startVectors({ index, embedder: open, clock, logger: { log: (...line) => void lines.push(line) } });
    expect([opened, kept.size]).toEqual([0, 0]);
    for (const listener of listeners) listener();
    await untilAllKept();
    expect(embedder.asked.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4]);
    embedder = createEmbedder("two");
    await clock.advance(60_000);
    await untilAllKept();
    expect(new Set(kept.values())).toEqual(new Set(["two"]));
    await stop();
    expect([listeners.size, lines]).toEqual([0, []]);
  });

  it("says that the embedder failed, and tries again at the next look", async () => {
    const { index, untilAllKept } = createIndex({ a: "text" });
    const clock = createManualClock();
    let isBroken = true;
    const told = Promise.withResolvers<string>();
    const embedder = createEmbedder("one", { fails: () => isBroken });
    const stop = startVectors({ index, embedder: async () => embedder, clock, logger: { log: (_, message) => told.resolve(message) } });
    await clock.advance(60_000);
    expect(await told.promise).toMatch(/The embedder failed, so new texts are found by their words/);
    isBroken = false;
    await clock.advance(60_000);
    await untilAllKept();
    await stop();
  });

  it("does nothing where there can be no vectors", async () => {
    const { index } = createIndex({ a: "text" });
    const [clock, told, asked] = [createManualClock(), [] as string[], Promise.withResolvers<void>()];
    const unavailable = async () => {
      asked.resolve();
      return "No extension.";
    };
    const stop = startVectors({
      ...{ index: { ...index, unavailable }, clock, logger: { log: (_, message) => void told.push(message) } },
      embedder: () => Promise.reject(new Error("opened")),
    });
    await clock.advance(60_000);
    await asked.promise;
    await stop();
    expect(told).toEqual([]);
  });
});

describe("the vector of a query", () => {
  const of = { tenant: "acme", owner: "agent:a" };

  it("comes with vectors of what waits, and without one a search is told why", async () => {
    const { index, kept } = createIndex({ a: "text" });
    const embedder = createEmbedder("one");
    const asked = await askVectors(readQuery("where is it"), { index, embedder: async () => embedder }, of);
    expect([asked.vector?.model, asked.without, [...kept.keys()]]).toEqual(["one", [], ["a"]]);
    const without = async (parts: Partial<Parameters<typeof askVectors>[1]>, query = "where is it") =>
      (await askVectors(readQuery(query), { index, embedder: async () => embedder, ...parts }, of)).without;
    expect(await without({ embedder: undefined })).toEqual(["No embedder is configured, so words and names decide."]);
    expect(await without({ index: { ...index, unavailable: async () => "No extension." } })).toEqual(["No extension."]);
    const broken = createEmbedder("one", { fails: () => true });
    expect(await without({ embedder: async () => broken })).toEqual([
      "The embedder failed, so words and names decide. Error: No electricity.",
    ]);
    const english = createEmbedder("one", { languages: ["en"] });
    expect(await without({ embedder: async () => english }, "wann ist das fertig")).toEqual([
      "The embedder one understands en alone, and the query is in another language.",
    ]);
    await expect(
      askVectors(readQuery("x"), { index, embedder: async () => embedder }, { ...of, signal: AbortSignal.abort(new Error("gone")) }),
    ).rejects.toThrow("gone");
  });
});
