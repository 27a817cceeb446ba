import { expect, test } from "vitest";
import { type DocumentNote, writeNote } from "./document-note.ts";

test.each([
  [{ what: "Formulas are left out", advice: "Open the document." }, "Formulas are left out. Open the document."],
  [{ what: "Pictures are left out", count: 4, pages: [2, 3, 7], advice: "Ask." }, "Pictures are left out (4: pages 2-3,7). Ask."],
  [{ what: "Outputs are left out", count: 1, cells: [5], advice: "Run it." }, "Outputs are left out (1: cell 5). Run it."],
  [
    { what: "Files are left out", lines: [3], names: ["a.txt", "b\nc.txt", "a.txt"], advice: "Save them." },
    "Files are left out (line 3; a.txt, b c.txt). Save them.",
  ],
] satisfies [DocumentNote, string][])("a note says what, how much, where, and what to do: %#", (note, written) => {
  expect(writeNote(note)).toBe(written);
});

test("a note stays short where a document names thousands of things", () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `${"x".repeat(500)}${at}`);
  const pages = Array.from({ length: 2_000 }, (_, at) => at * 2 + 1);
  const written = writeNote({ what: "Files are left out", names, pages, advice: "Save them." });
  expect(written).toMatch(/ and 4990 more\)\. Save them\.$/);
  expect(written.length).toBeLessThan(1_600);
});
