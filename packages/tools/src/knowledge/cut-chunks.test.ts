import type { DocumentPart } from "@toolwright/engine/ports";
import { describe, expect, it } from "vitest";
import { cutChunks } from "./cut-chunks.ts";
import { mostOfChunk } from "./cut-text.ts";

const part = (text: string, more: Partial<DocumentPart> = {}): DocumentPart => ({ headings: [], text, ...more });
const cut = (...parts: readonly DocumentPart[]) => [...cutChunks(parts)];
const words = (count: number, word = "word") => Array.from({ length: count }, (_, at) => `${word}${at}`).join(" ");

describe("a document is cut into passages", () => {
  it("between paragraphs, with the lines of each", () => {
    const text = `${words(100)}\n\n${words(100)}\nand on\n\n\n${words(20)}`;
    const found = cut(part(text, { lines: [11, 16], headings: ["A", "B"] }));
    expect(found.map(({ lines }) => lines)).toEqual([
      [11, 11],
      [13, 17],
    ]);
    expect(found[1]?.text).toBe(`${words(100)}\nand on\n\n\n${words(20)}`);
    expect(found[0]?.headings).toEqual(["A", "B"]);
  });

  it("never across pages and cells, which it names", () => {
    const found = cut(part("One.", { page: 1 }), part("Two.", { page: 2 }), part("", { page: 3 }), part("Four.", { cell: 4 }));
    expect(found.map(({ text, page, cell }) => [text, page, cell])).toEqual([
      ["One.", 1, undefined],
      ["Two.", 2, undefined],
      ["Four.", undefined, 4],
    ]);
  });

  it("with the heading that a text stands below, also where the text is short", () => {
    const found = cut(
      part("# Payment\n\nWithin ten days.", { headings: ["Payment"], lines: [1, 3] }),
      part("Warranty\n---", { headings: ["Payment", "Warranty"], lines: [4, 5] }),
      part("### Parts\n\nTwo years.", { headings: ["Payment", "Warranty", "Parts"], lines: [6, 8] }),
    );
    expect(found.map(({ text, headings }) => [text, headings.at(-1)])).toEqual([
      ["# Payment\n\nWithin ten days.", "Payment"],
      ["Warranty\n---\n### Parts\n\nTwo years.", "Parts"],
    ]);
  });

  it("with a heading that has no text of its own in the part below it, and not in one beside it", () => {
    const found = cut(
      part("# A", { headings: ["A"], lines: [1, 1] }),
      part("## B\n\nText of B.", { headings: ["A", "B"], lines: [2, 4] }),
      part("## C\n\nText of C.", { headings: ["A", "C"], lines: [5, 7] }),
    );
    expect(found.map(({ text, lines, headings }) => [text, lines, headings])).toEqual([
      ["# A\n## B\n\nText of B.", [1, 4], ["A", "B"]],
      ["## C\n\nText of C.", [5, 7], ["A", "C"]],
    ]);
  });

  it("with the header of a table again in each part of it", () => {
    const rows = Array.from({ length: 60 }, (_, at) => `| row ${at} | ${words(4)} |`);
    const found = cut(part(["| name | words |", "| --- | --- |", ...rows].join("\n")));
    expect(found.length).toBeGreaterThan(1);
    for (const { text } of found) expect(text).toMatch(/^\| name \| words \|\n\| --- \| --- \|\n\| row/);
    expect(found.flatMap(({ text }) => text.split("\n").filter((line) => line.startsWith("| row")))).toEqual(rows);
  });

  it("around a block of code that fits, empty lines in it or not", () => {
    const code = `\`\`\`ts\n${words(60)}\n\n${words(60)}\n\`\`\``;
    expect(cut(part(`${words(120)}\n\n${code}\n\n${words(100)}`)).map(({ text }) => text)).toEqual([words(120), code, words(100)]);
  });

  it("between sentences of one long line, and anywhere where there is no blank", () => {
    const sentences = Array.from({ length: 40 }, (_, at) => `This is sentence number ${at} of a very long line.`);
    const found = cut(part(sentences.join(" ")));
    expect(found.map(({ text }) => text).join(" ")).toBe(sentences.join(" "));
    for (const { text } of found) expect(text).toMatch(/\.$/);
    const faces = cut(part("\u{1f600}".repeat(2_000)));
    expect(faces.every(({ text }) => text.isWellFormed())).toBe(true);
    expect(faces.map(({ text }) => text).join("")).toBe("\u{1f600}".repeat(2_000));
  });

  it("so that no passage is longer than it may be, none is empty, and each begins where it says", () => {
    let seed = 7;
    const draw = (most: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed % (most + 1);
    };
    const line = () => ["", "word ", "| a | b |", "|---|---|", "```", "x".repeat(draw(900)), words(draw(40))][draw(6)] ?? "";
    const texts = Array.from({ length: 40 }, () => Array.from({ length: draw(60) }, line).join("\n"));
    const found = cut(...texts.map((text, at) => part(text, { page: at + 1 })));
    const whole = found.map(({ text }) => text).join("\n\n");
    for (const { text, from } of found) {
      expect(text.length).toBeGreaterThan(0);
      expect(text.length).toBeLessThanOrEqual(mostOfChunk);
      expect(whole.startsWith(text, from)).toBe(true);
    }
  });
});
