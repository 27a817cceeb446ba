import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readSelection } from "./parse/selection.ts";
import { partOfDocument } from "./part-of-document.ts";

/** A document of pages as the parser reads it: those that are named, until there is enough. */
function readPages(texts: readonly string[], { pages, enough }: { readonly pages: string | null; readonly enough: number }) {
  const wanted = pages === null ? texts.map((_, index) => index + 1) : readSelection(pages, { count: texts.length, unit: "page" });
  let characters = 0;
  const parts = [];
  for (const page of wanted) {
    if (characters >= enough) break;
    const text = texts[page - 1] ?? "";
    characters += text.length;
    parts.push({ page, headings: [], text });
  }
  return { pages: texts.length, parts, rest: wanted.slice(parts.length) };
}

describe("a part of a document", () => {
  test("and the parts after it are the whole, with nothing lost or told twice", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 200 }), { maxLength: 8 }),
        fc.integer({ min: 2, max: 150 }),
        (texts, maxChars) => {
          const told = texts.map(() => "");
          let next: { pages: string | null; offset: number } | null = { pages: null, offset: 0 };
          for (let answers = 0; next !== null; answers += 1) {
            expect(answers).toBeLessThan(5_000);
            const { offset }: { offset: number } = next;
            const answer = partOfDocument(readPages(texts, { pages: next.pages, enough: offset + maxChars }), { offset, maxChars });
            let characters = 0;
            for (const { page, text } of answer.parts) {
              characters += text.length;
              told[(page ?? 0) - 1] += text;
            }
            expect(characters).toBeLessThanOrEqual(maxChars);
            next = answer.next;
          }
          expect(told).toEqual(texts);
        },
      ),
    );
  });

  test("holds pages whole that fit into an answer, and cuts a longer one where a line ends", () => {
    const texts = ["a".repeat(60), "b".repeat(60), `${"c".repeat(80)}\n${"d".repeat(80)}`];
    const read = (pages: string | null, offset = 0) => partOfDocument(readPages(texts, { pages, enough: 100 }), { offset, maxChars: 100 });
    expect(read(null)).toEqual({
      parts: [{ page: 1, cell: null, text: texts[0] }],
      next: { pages: "2-3", cells: null, offset: 0 },
      left: [2, 3],
    });
    expect(read("3")).toMatchObject({ parts: [{ text: `${"c".repeat(80)}\n` }], next: { pages: "3", offset: 81 }, left: [] });
    expect(read("3", 81)).toMatchObject({ parts: [{ text: "d".repeat(80) }], next: null });
  });

  test("of sections is one text, which goes on at a character", () => {
    const parts = ["# One\n", "# Two"].map((text) => ({ headings: [], text }));
    expect(partOfDocument({ parts, rest: [] }, { offset: 2, maxChars: 100 })).toEqual({
      parts: [{ page: null, cell: null, text: "One\n\n# Two" }],
      next: null,
      left: [],
    });
  });
});
