import assert from "node:assert/strict";
import type { Embedder } from "../ports/embedder.ts";
import type { ConformanceCase } from "./conformance-case.ts";

/** Rounding of each number; it differs with what is computed at one time. */
const rounding = 1e-3;

/** What every embedder must do. Each pair of `near` means the like, in a language that it understands, and is nearer than to the other pairs. */
export function embedderConformance(
  open: () => Promise<Embedder> | Embedder,
  near: readonly (readonly [one: string, other: string])[],
): readonly ConformanceCase[] {
  const withEmbedder = (name: string, check: (embedder: Embedder) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      const embedder = await open();
      try {
        await check(embedder);
      } finally {
        await embedder.close?.();
      }
    },
  });
  return [
    withEmbedder("says what it is", async ({ model, dimensions, languages }) => {
      assert.notEqual(model, "");
      assert.ok(Number.isInteger(dimensions) && dimensions > 0);
      for (const language of languages) assert.doesNotThrow(() => new Intl.Locale(language));
    }),
    withEmbedder("gives each text a vector of its dimensions and of length 1, in order", async (embedder) => {
      const texts = ["", "one", "a second text", "one", "\u0000\ud800", "x".repeat(5_000)];
      const vectors = await embedder.embed(texts);
      assert.equal(vectors.length, texts.length);
      for (const vector of vectors) {
        assert.equal(vector.length, embedder.dimensions);
        assert.ok(Math.abs(Math.sqrt(similarity(vector, vector)) - 1) < rounding);
      }
      assert.ok(isAlike(vectors[1], vectors[3]));
      assert.ok(!isAlike(vectors[1], vectors[2]));
      assert.deepEqual(await embedder.embed([]), []);
    }),
    withEmbedder("gives a text the same vector, whatever is asked with it and at the same moment", async (embedder) => {
      const [[alone], [, among]] = await Promise.all([embedder.embed(["a text"]), embedder.embed(["another", "a text", "one more"])]);
      assert.ok(isAlike(alone, among));
    }),
    withEmbedder("rejects with the reason of a signal that aborts, and can be asked again", async (embedder) => {
      const reason = new Error("Not now.");
      await assert.rejects(embedder.embed(["a"], { signal: AbortSignal.abort(reason) }), reason);
      const stop = new AbortController();
      const asked = embedder.embed(["a"], { signal: stop.signal });
      stop.abort(reason);
      await assert.rejects(asked, reason);
      assert.equal((await embedder.embed(["a"])).length, 1);
    }),
    withEmbedder("ends what is asked when it is closed, and can be asked again", async (embedder) => {
      if (!embedder.close) return;
      const asked = embedder.embed(["a"]).then(
        () => "answered",
        () => "rejected",
      );
      await embedder.close();
      assert.match(await asked, /^(answered|rejected)$/);
      assert.equal((await embedder.embed(["a"])).length, 1);
    }),
    withEmbedder("puts texts with a similar meaning near each other", async (embedder) => {
      const ones = await embedder.embed(near.map(([one]) => one));
      const others = await embedder.embed(near.map(([, other]) => other));
      for (const [index, one] of ones.entries()) {
        const all = others.map((other) => similarity(one, other));
        assert.equal(all.indexOf(Math.max(...all)), index, near[index]?.join(" / "));
      }
    }),
  ];
}

const similarity = (one: Float32Array, other: Float32Array) => one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

function isAlike(one: Float32Array | undefined, other: Float32Array | undefined): boolean {
  return one !== undefined && other !== undefined && one.every((value, at) => Math.abs(value - (other[at] ?? 0)) < rounding);
}
