import type { ParsedDocument, ParseLimits } from "@toolwright/engine/ports";
import { describe, expect, test } from "vitest";
import { addDeflated, docxFiles, makeDocx } from "../../../test/make-docx.ts";
import { makeNotebook } from "../../../test/make-notebook.ts";
import { makePdf } from "../../../test/make-pdf.ts";
import { type ReadRequest, UnreadableError, usualLimits } from "./document.ts";
import { writePng } from "./png.ts";
import { readDocument } from "./read-document.ts";
import { packStored } from "./zip.ts";

type Given = Partial<ReadRequest> & { readonly limits?: Partial<ParseLimits> };
const makeZip = (files: Readonly<Record<string, Uint8Array>>) => packStored(new Map(Object.entries(files)));
const bytesOf = (text: string) => new TextEncoder().encode(text);
const parse = (bytes: Uint8Array, { limits, ...given }: Given = {}): Promise<ParsedDocument> =>
  readDocument(Uint8Array.from(bytes), { name: "file", ...given, limits: { ...usualLimits, ...limits } });

async function reasonOf(bytes: Uint8Array, given: Given = {}): Promise<unknown> {
  const error = await parse(bytes, given).catch((caught: unknown) => caught);
  if (!(error instanceof UnreadableError)) throw new Error(`it was read: ${error}`);
  expect(error.message).toMatch(/^[A-Z"].*\.$/);
  return error.unreadable.reason;
}

const hundred = makePdf(Array.from({ length: 100 }, (_, index) => ({ lines: [`This is page ${index + 1}`, "of a long book."] })));

describe("a PDF", () => {
  test("gives the pages that are named, and stops where there is enough", async () => {
    const { parts, rest } = await parse(hundred, { pages: "99-,1-3", enough: 60 });
    expect(parts.map(({ page }) => page)).toEqual([1, 2]);
    expect(rest).toEqual([3, 99, 100]);
  });

  test("keeps the cells of a table apart, and has a title", async () => {
    const texts = [
      { text: "Item", x: 72, y: 700 },
      { text: "Price", x: 300, y: 700 },
      { text: "Bolt (steel)", x: 72, y: 686 },
      { text: "12.50", x: 300, y: 686 },
    ];
    expect(await parse(makePdf([{ texts }], { title: "Price list" }))).toMatchObject({
      title: "Price list",
      parts: [{ page: 1, text: "Item\tPrice\nBolt (steel)\t12.50" }],
    });
  });

  test("names the pages that are pictures alone, and gives the pictures", async () => {
    const grey = { width: 64, height: 64, bits: 8 as const, data: new Uint8Array(64 * 64).fill(120) };
    const black = { width: 64, height: 64, bits: 1 as const, data: new Uint8Array(8 * 64) };
    const scan = makePdf([{ lines: ["Words"] }, { picture: grey }, {}, { picture: black }]);
    const { pagesWithoutText, images } = await parse(scan, { images: true });
    expect(pagesWithoutText).toEqual([2, 4]);
    expect(images.map(({ page, mediaType }) => [page, mediaType])).toEqual([
      [2, "image/png"],
      [4, "image/png"],
    ]);
    expect(
      Buffer.from(images[0]?.bytes ?? []).equals(
        writePng({ width: 64, height: 64, channels: 3, data: new Uint8Array(64 * 64 * 3).fill(120) }),
      ),
    ).toBe(true);
  });

  test.each([
    ["encrypted", makePdf([{}], { encrypted: true }), {}],
    ["damaged", hundred.subarray(0, 60), {}],
    ["too_many_pages", hundred, { limits: { pages: 99 } }],
    ["no_such_part", hundred, { pages: "101" }],
    ["no_such_part", hundred, { pages: "9-3" }],
    ["no_such_part", hundred, { pages: "0" }],
    ["no_such_part", hundred, { cells: "1" }],
    ["too_large", hundred, { limits: { bytes: 1_000 } }],
    ["too_large", hundred, { limits: { characters: 1_000 } }],
  ] satisfies [string, Uint8Array, Given][])("is refused as %s", async (reason, bytes, given) => {
    expect(await reasonOf(bytes, given)).toBe(reason);
  });
});

const red = writePng({ width: 40, height: 40, channels: 3, data: new Uint8Array(4_800).fill(200) });

describe("a Word document", () => {
  const handbook = makeDocx([
    { heading: "Handbook", level: 1 },
    "Welcome & <hello>. Write to snake_case_name.",
    { heading: "Refunds", level: 2 },
    {
      rows: [
        ["Case", "Days"],
        ["Damaged", "14"],
      ],
    },
    { picture: red, alt: "Our team" },
  ]);

  test("comes in sections, with headings, tables and pictures", async () => {
    const { kind, title, parts, images } = await parse(handbook, { images: true });
    expect({ kind, title, parts }).toEqual({
      kind: "docx",
      title: "Handbook",
      parts: [
        { headings: ["Handbook"], text: "# Handbook\n\nWelcome & <hello>. Write to snake_case_name.\n" },
        { headings: ["Handbook", "Refunds"], text: "## Refunds\n\n| Case | Days |\n| --- | --- |\n| Damaged | 14 |\n\n[Image: Our team]" },
      ],
    });
    expect(images).toEqual([{ mediaType: "image/png", bytes: new Uint8Array(red) }]);
  });

  const files = docxFiles(["Text"]);
  const zeros = new Uint8Array(3_000_000);
  const lines = new TextEncoder().encode(
    `<!DOCTYPE d [${Array.from({ length: 9 }, (_, index) => `<!ENTITY e${index + 1} "${`&e${index};`.repeat(10)}">`).join("")}]><d>&e9;</d>`,
  );

  test.each([
    ["bomb", addDeflated(files, "word/bomb.xml", { bytes: zeros, told: 3_000_000 })],
    ["bomb", addDeflated(files, "word/bomb.xml", { bytes: zeros, told: 10 })],
    ["damaged", handbook.subarray(0, handbook.length - 30)],
    ["damaged", makeZip({ "word/document.xml": new TextEncoder().encode("<w:document") })],
    ["damaged", makeZip({ ...Object.fromEntries(files), "word/document.xml": lines })],
    ["unknown_kind", makeZip({ "xl/workbook.xml": new Uint8Array() })],
    ["unknown_kind", makeZip({ "a.txt": new Uint8Array() })],
    ["encrypted", Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.from("EncryptedPackage", "utf16le")])],
    ["unknown_kind", Buffer.from("d0cf11e0a1b11ae1", "hex")],
    ["no_such_part", handbook, { pages: "1" }],
  ] satisfies [string, Uint8Array, Given?][])("is refused as %s", async (reason, bytes, given: Given = {}) => {
    expect(await reasonOf(bytes, { limits: { unpackedBytes: 1_000_000 }, ...given })).toBe(reason);
  });

  test("keeps a bomb packed that is of no use", async () => {
    const packed = addDeflated(files, "word/fonts/bomb.odttf", { bytes: zeros, told: 10 });
    expect(await parse(packed, { limits: { unpackedBytes: 1_000_000 } })).toMatchObject({ parts: [{ text: "Text" }] });
  });
});

describe("a notebook", () => {
  const notebook = makeNotebook([
    { type: "markdown", source: "# Sales\nof the year" },
    { type: "code", source: "print('x')", outputs: [{ output_type: "stream", text: ["\u001b[31mred\u001b[0m\n"] }] },
    { type: "code", source: "plot()", outputs: [{ data: { "image/png": Buffer.from(red).toString("base64"), "text/plain": "<Figure>" } }] },
    { type: "code", source: "loop()", outputs: [{ text: "9".repeat(50_000_000) }] },
  ]);

  test("comes in cells with their outputs, however large those are", async () => {
    const { title, cells, parts } = await parse(notebook.subarray(), { limits: { bytes: 60_000_000 } });
    expect({ title, cells }).toEqual({ title: "Sales", cells: 4 });
    expect(parts.slice(0, 3)).toEqual([
      { cell: 1, headings: ["Sales"], text: "# Sales\nof the year" },
      { cell: 2, headings: ["Sales"], text: "```python\nprint('x')\n```\n\nOutput:\n```\nred\n```" },
      { cell: 3, headings: ["Sales"], text: "```python\nplot()\n```\n\nOutput:\n```\n[Image: <Figure>]\n```" },
    ]);
    expect(parts[3]?.text).toMatch(/9\n\[49980000 more characters of output are left out\]\n```$/);
  });

  test("gives the cells that are named, and their pictures", async () => {
    const { parts, images, notes } = await parse(notebook, { limits: { bytes: 60_000_000 }, cells: "3", images: true });
    expect(parts.map(({ cell }) => cell)).toEqual([3]);
    expect(images).toEqual([{ cell: 3, mediaType: "image/png", bytes: new Uint8Array(red) }]);
    expect(notes).toEqual([]);
  });
});

describe("text", () => {
  test("is cut at the headings of Markdown, with the lines of the file", async () => {
    const markdown = "---\nintro\n\n# One\r\n```sh\n# no heading\n```\n\nTwo *x*\n---\ntext\n";
    const { title, parts } = await parse(bytesOf(markdown), { name: "a.md" });
    expect(title).toBe("One");
    expect(parts).toEqual([
      { headings: [], lines: [1, 3], text: "---\nintro\n" },
      { headings: ["One"], lines: [4, 8], text: "# One\n```sh\n# no heading\n```\n" },
      { headings: ["One", "Two x"], lines: [9, 12], text: "Two *x*\n---\ntext\n" },
    ]);
  });

  test("of HTML becomes Markdown, whatever its name says", async () => {
    const html =
      "<!doctype html><title>Prices</title><script>alert(1)</script><h1>Prices</h1><p>See <a href='https://example.com/x'>here</a> and <a href='/y'>there</a>.";
    expect(await parse(bytesOf(html), { name: "prices.pdf" })).toMatchObject({
      kind: "html",
      title: "Prices",
      parts: [{ headings: ["Prices"], text: "# Prices\n\nSee [here](https://example.com/x) and there." }],
      notes: ["The name ends like another kind of file; by its content it is HTML, and it was read as that."],
    });
  });

  test.each([
    ["a.csv", bytesOf("a,b\n1,2\n"), { kind: "csv", parts: [{ headings: [], lines: [1, 2], text: "a,b\n1,2" }], notes: [] }],
    ["a.txt", Buffer.from("\ufeffgr\u00fcn", "utf16le"), { kind: "text", parts: [{ text: "gr\u00fcn" }], notes: [] }],
    [
      "a.txt",
      Buffer.from("gr\u00fcn", "latin1"),
      { parts: [{ text: "gr\u00fcn" }], notes: ["The text is not UTF-8; it was read as Windows-1252."] },
    ],
    ["\u05d0.txt", bytesOf("\u05e9\u05dc\u05d5\u05dd"), { parts: [{ text: "\u05e9\u05dc\u05d5\u05dd" }] }],
  ])("is read as %s", async (name, bytes, document) => {
    expect(await parse(bytes, { name })).toMatchObject(document);
  });

  test.each([
    ["empty", "a.md", bytesOf("")],
    ["unknown_kind", "a.txt", Uint8Array.from([0, 1, 2, 255])],
    ["damaged", "a.ipynb", bytesOf("{")],
    ["damaged", "a.ipynb", bytesOf("{}")],
    ["too_large", "a.txt", new Uint8Array(60_000_000)],
  ])("is refused as %s", async (reason, name, bytes) => {
    expect(await reasonOf(bytes, { name })).toBe(reason);
  });
});
