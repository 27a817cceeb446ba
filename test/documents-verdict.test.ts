import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packStored } from "../packages/tools/src/documents/parse/zip.ts";
import { docxFiles } from "../packages/tools/test/make-docx.ts";
import { compare, judgeDocument } from "./documents/judge-document.ts";
import { textOfPage } from "./documents/second-readers.ts";
import { wordsOf } from "./documents/words.ts";

const read = (text: string, more: { readonly notes?: readonly string[]; readonly pagesWithoutText?: readonly number[] } = {}) => ({
  ...{ kind: "docx", parts: [{ text }], notes: [], pagesWithoutText: [] },
  ...more,
});
const words = "one two three four five six seven eight nine ten";
const deleted = "Words that a tracked change deleted are left out, and inserted ones are read (1). Accept them.";
const buttons = "Buttons whose words are not drawn in the file are left out (2: pages 1-2; send). Open the pages.";

describe("the verdict on a document", () => {
  test.each<[name: string, ours: Parameters<typeof compare>[0], place: string, is: string]>([
    ["agrees where all words are there, whatever stands between them", read(words.replaceAll(" ", "\n**")), "text", "agrees"],
    ["fails where a word is missing", read(words.slice(4)), "text", "fails"],
    ["fails where words run into one", read(words.replace(" ", "")), "text", "fails"],
    ["fails where a word stands there once and should twice", read(words), "text twice", "fails"],
    ["fails where a note tells of something else", read("", { notes: [deleted] }), "text", "fails"],
    ["is told where a note tells of such words", read("", { notes: [deleted] }), "deleted", "told"],
    ["is told where a note names the page", read("", { notes: [buttons] }), "page 2", "told"],
    ["fails where a note names another page", read("", { notes: [buttons] }), "page 3", "fails"],
    ["is told where the page is one without text", read("", { pagesWithoutText: [3] }), "page 3", "told"],
  ])("%s", (_, ours, place, is) => {
    const [name = "", twice] = place.split(" twice");
    const text = twice === undefined ? words : `${words} one`;
    expect(compare(ours, [{ place: name, text }]).is).toBe(is);
  });

  test("gives words that a note does not tell of their own place first", () => {
    const found = ["deleted", "text"].map((place) => ({ place, text: "rent" }));
    expect(compare(read("rent", { notes: [deleted] }), found)).toMatchObject({ is: "told", silent: [], told: 1 });
  });
});

describe("words", () => {
  test.each([
    ["\ufb01nal **un**able snake_case 10^6", ["final", "unable", "snake", "case", "10", "6"]],
    ["\u6771\u4eac\u306e Caf\u00e9 cafe\u0301", ["\u6771", "\u4eac", "\u306e", "caf\u00e9", "caf\u00e9"]],
  ])("of %s are compared as they are read", (text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  test("of a page are those between its tags, each formula once", () => {
    const math = '<math><semantics><mi>y</mi><annotation encoding="application/x-tex">y^2</annotation></semantics></math>';
    const page = textOfPage(
      `<html><head><title>T</title></head><body><p>un<b>able</b></p><p>CO<sub>2</sub></p>${math}<script>x</script></body></html>`,
    );
    expect(wordsOf(page)).toEqual(["unable", "co", "2", "y", "2"]);
  });
});

describe("a document in a folder", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "toolwright-documents-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
  const xml = `<w:p>${run("Re")}${run("nt &amp; more")}<w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>`;
  test.each([
    [
      "rent.docx",
      packStored(
        docxFiles([
          { heading: "Rent", level: 1 },
          {
            rows: [
              ["a", "b"],
              ["c", "d"],
            ],
          },
          { xml },
        ]),
      ),
      { is: "told", words: 8, silent: [], told: 1 },
    ],
    ["rent.rtf", "{\\rtf1 words}", { is: "told", words: 0 }],
    ["rent.html", "<html><body><p>Rent is <i>due</i>.</p></body></html>", { is: "agrees", words: 3, silent: [], extra: [] }],
  ])("is read by both readers: %s", async (name, content, expected) => {
    await writeFile(join(folder, name), content);
    expect(await judgeDocument(join(folder, name))).toMatchObject(expected);
  });
});
