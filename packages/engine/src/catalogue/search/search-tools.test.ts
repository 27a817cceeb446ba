import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import type { Embedder } from "../../ports/embedder.ts";
import { embedderConformance } from "../../testing/embedder-conformance.ts";
import { defineTool } from "../../tool/define-tool.ts";
import { rankTexts } from "./rank-texts.ts";

/** Texts are alike that have the same letters. `asked` holds what it was asked, question by question. */
function createLetterEmbedder(asked: string[][] = [], fails = () => false): Embedder {
  return {
    model: "letters",
    dimensions: 27,
    languages: [],
    async embed(texts, { signal } = {}) {
      signal?.throwIfAborted();
      await Promise.resolve();
      signal?.throwIfAborted();
      if (texts.length > 0) asked.push([...texts]);
      if (fails()) throw new Error("No more letters.");
      return texts.map((text) => {
        const counts = new Float32Array(27).fill(0.01);
        for (const letter of text.toLowerCase()) if (/[a-z]/.test(letter)) counts[letter.charCodeAt(0) - 97]! += 1;
        const length = Math.hypot(...counts);
        return counts.map((count) => count / length);
      });
    },
  };
}

describe("an embedder of letters", () => {
  for (const { name, run } of embedderConformance(createLetterEmbedder, [
    ["listen", "silent"],
    ["night", "thing"],
  ]))
    it(name, run);
});

const person = (tenant: string, permissions: readonly string[] = []): Principal => ({
  ...{ tenant, actor: { kind: "user", id: "ann" }, permissions, door: "rest" },
});
const tool = (name: string, more: object = {}) =>
  defineTool({ name, description: "Does a thing.", input: z.object({}), output: z.object({}), run: () => ({}), ...more });
const tools = [
  tool("enlist", { title: "Enlist", description: "Puts a person on a list." }),
  tool("upload", { title: "Upload", description: "Stores bytes far away.", examples: [{ label: "A picture for the cloud", input: {} }] }),
  tool("hidden", { title: "Silent", permission: "secret:see" }),
];
const search = (engine: ReturnType<typeof createEngine>, query: string, principal = person("acme")) =>
  engine.operate(principal, "tools.search", { query });
const names = ({ items }: { readonly items: readonly { readonly name: string }[] }) => items.map(({ name }) => name);

describe("a search of tools", () => {
  it("goes by words alone without an embedder, and says so", async () => {
    const found = await search(createEngine({ tools }), "Pictures in the clouds!");
    expect(found).toEqual({
      items: [{ name: "upload", title: "Upload", score: 1 }],
      ranking: { by: ["text"], reason: "No embedder is configured." },
    });
    expect(names(await search(createEngine({ tools }), "of the in"))).toEqual([]);
  });

  it("finds by vectors what has no word of the query, and puts first what is first in both", async () => {
    const engine = createEngine({ tools, embedder: createLetterEmbedder() });
    const found = await search(engine, "tinsel");
    expect([names(found)[0], found.ranking]).toEqual(["enlist", { by: ["text", "vectors"], model: "letters", languages: [] }]);
    expect((await search(engine, "upload")).items[0]).toEqual({ name: "upload", title: "Upload", score: 1 });
  });

  it("finds nothing that the principal may not use", async () => {
    const engine = createEngine({ tools, embedder: createLetterEmbedder() });
    expect(names(await search(engine, "silent"))).not.toContain("hidden");
    expect(names(await search(engine, "silent", person("acme", ["secret:see"])))[0]).toBe("hidden");
  });

  it("reads the text of a tool once, whoever asks", async () => {
    const asked: string[][] = [];
    const engine = createEngine({ tools, embedder: createLetterEmbedder(asked) });
    await Promise.all([search(engine, "one"), search(engine, "two", person("other"))]);
    await search(engine, "three", person("other"));
    expect(asked.flat().toSorted()).toEqual(
      ["one", "three", "two", "Enlist.  Puts a person on a list.", "Upload. A picture for the cloud. Stores bytes far away."].toSorted(),
    );
  });

  it("goes by words alone when the embedder fails, says so, and asks it again the next time", async () => {
    let isBroken = true;
    const lines: unknown[] = [];
    const logger = { log: (...line: unknown[]) => void lines.push(line) };
    const engine = createEngine({ tools, logger, embedder: createLetterEmbedder([], () => isBroken) });
    expect((await search(engine, "upload")).ranking).toEqual({
      by: ["text"],
      reason: "The embedder letters failed. The log of the server says more.",
    });
    expect(JSON.stringify(lines)).toContain("No more letters.");
    isBroken = false;
    expect((await search(engine, "upload")).ranking.by).toEqual(["text", "vectors"]);
  });

  it("waits for no vectors when its caller leaves, and logs nothing", async () => {
    const lines: unknown[] = [];
    const logger = { log: (...line: unknown[]) => void lines.push(line) };
    const engine = createEngine({ tools, logger, embedder: createLetterEmbedder() });
    const { ranking } = await engine.operate(person("acme"), "tools.search", { query: "a" }, { signal: AbortSignal.abort() });
    expect([ranking.by, lines]).toEqual([["text"], []]);
  });
});

test("a rare word weighs more than a usual one, and a short text more than a long one", () => {
  const documents = ["file file file", "file cloud", "file and many words more that say nothing of it"].map((text) => [[text, 1]] as const);
  const [one = 0, two = 0, three = 0] = rankTexts("files in a cloud", documents);
  expect(two).toBeGreaterThan(one);
  expect(one).toBeGreaterThan(three);
  expect(rankTexts("nothing here fits", [[["", 1]]])).toEqual([0]);
});
