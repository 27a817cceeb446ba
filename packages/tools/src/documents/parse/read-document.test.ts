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

type Page = Parameters<typeof makePdf>[0][number];
const textOf = async (page: Page) => (await parse(makePdf([page]))).parts[0]?.text;

/** Grey, 40 pixels each way, from white to black, and a black square on white as a fax has it: made by ImageMagick. */
const jpeg = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/wAALCAAoACgBAREA/8QAFgABAQEAAAAAAAAAAAAAAAAAAAUE/8QAFhAAAwAAAAAAAAAAAAAAAAAAABNh/9oACAEBAAA/AL7qHUOodQ6k91DqHUOodTA6h1DqHUOpPdQ6h1DqHUwOodQ6h1Dqf//Z",
  "base64",
);
const fax = Buffer.from("/8nBp///////////////j///8AEAEA==", "base64");

const scan = (encoding: string, more: Partial<NonNullable<Page["picture"]>> = {}) => ({
  picture: { width: 40, height: 40, bits: 8 as const, encoding, data: jpeg, ...more },
});
const compositeFont = (encoding: string, ordering: string) =>
  `<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /${encoding} /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song ` +
  `/CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> ` +
  "/FontDescriptor << /Type /FontDescriptor /FontName /Song /Flags 6 /Ascent 800 /Descent -200 >> >>] >>";
const chinese = (encoding: string, ordering: string): Page => ({
  font: compositeFont(encoding, ordering),
  content: Buffer.from("BT /F1 20 Tf 72 700 Td <4f60597d4e16754c> Tj ET"),
});

describe("pictures in a PDF", () => {
  test("that are JPEG are shown, and those in other forms are named, once for all pages", async () => {
    const faxed = scan("CCITTFaxDecode", { ...{ width: 64, height: 64, bits: 1, data: fax }, parameters: "/K -1 /Columns 64 /Rows 64" });
    const pages = [scan("DCTDecode"), faxed, scan("JBIG2Decode"), scan("JPXDecode"), { lines: ["Words"], ...faxed }];
    const { images, notes, pagesWithoutText } = await parse(makePdf(pages), { images: true });
    expect(images.map(({ page, mediaType }) => [page, mediaType])).toEqual([[1, "image/png"]]);
    expect(pagesWithoutText).toEqual([1, 2, 3, 4]);
    expect(notes).toEqual([
      "Pictures in JPEG 2000, JBIG2 or fax form cannot be shown and are left out (4: pages 2-5). Open these pages in a PDF reader, or print them to a new PDF.",
    ]);
  });
});

describe("words in a PDF", () => {
  test("in Chinese are read where the font tells their characters, and else the page is named with what is missing", async () => {
    const pages = [chinese("Identity-H", "Identity"), chinese("90ms-RKSJ-H", "Japan1"), chinese("Identity-H", "GB1")];
    const { parts, pagesWithoutText, notes } = await parse(makePdf([...pages, {}]));
    expect(parts.map(({ text }) => text)).toEqual(["\u4f60\u597d\u4e16\u754c", "", "", ""]);
    expect(pagesWithoutText).toEqual([2, 3]);
    expect(notes).toEqual([expect.stringMatching(/^Words are missing: .*\(90ms-RKSJ-H, Adobe-GB1-UCS2\)\. /)]);
  });

  test("in a font without a table of characters are no text", async () => {
    const glyphs = "/Encoding << /Type /Encoding /Differences [1 /g1 /g2] >> /FirstChar 1 /LastChar 2 /Widths [1 1]";
    const font = `<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1 1] /FontMatrix [1 0 0 1 0 0] /CharProcs << >> ${glyphs} >>`;
    const content = Buffer.from("BT /F1 10 Tf 72 700 Td <0102> Tj ET");
    expect(await parse(makePdf([{ font, content }]))).toMatchObject({ parts: [{ text: "" }], pagesWithoutText: [1] });
  });

  test.each([
    [0, (at: number) => ({ x: 72, y: 700 - at * 14 })],
    [1, (at: number) => ({ x: 72 + at * 14, y: 72 })],
    [2, (at: number) => ({ x: 500, y: 72 + at * 14 })],
    [3, (at: number) => ({ x: 500 - at * 14, y: 700 })],
  ])("are paragraphs also where the page is turned %i times", async (turns, place) => {
    const lines = ["First line.", "Second line.", "", "A paragraph.", "Its end."];
    const texts = lines.flatMap((text, at) => (text === "" ? [] : [{ text, turns, ...place(at) }]));
    expect(await textOf({ texts, rotate: turns * 90 })).toBe(lines.join("\n"));
  });

  test("in two columns are read one column after the other, where they were written so", async () => {
    const column = (word: string, x: number) => [1, 2, 3].map((line) => ({ text: `${word} ${line}.`, x, y: 700 - line * 14 }));
    expect(await textOf({ texts: [...column("Left", 72), ...column("Right", 320)] })).toBe(
      "Left 1.\nLeft 2.\nLeft 3.\n\nRight 1.\nRight 2.\nRight 3.",
    );
  });

  test("that a person wrote into a form stand below the page, with the name of each field", async () => {
    const annotations = [
      "/Subtype /Widget /FT /Tx /T (name) /TU (Full name) /V (Ann Example) /Rect [120 695 300 712]",
      "/Subtype /Widget /FT /Tx /T (empty) /Rect [120 695 300 712]",
      "/Subtype /Widget /FT /Tx /T (pin) /V (1234) /Ff 8192 /Rect [120 695 300 712]",
      "/Subtype /Widget /FT /Btn /T (agree) /V /Yes /AS /Yes /Rect [120 675 132 690] /AP << /N << /Yes null /Off null >> >>",
      "/Subtype /Widget /FT /Btn /T (refuse) /V /Off /AS /Off /Rect [120 675 132 690] /AP << /N << /Yes null /Off null >> >>",
      "/Subtype /Widget /FT /Ch /T (colour) /V (Blue) /Opt [(Red) (Blue)] /Ff 131072 /Rect [120 655 300 670]",
      "/Subtype /FreeText /Contents (Typed on the page) /Rect [300 600 500 620]",
    ];
    expect(await textOf({ lines: ["Application"], annotations })).toBe(
      "Application\n\nFull name: Ann Example\nagree: Yes\ncolour: Blue\n\nTyped on the page",
    );
  });
});

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

  const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

  test("is read as if its tracked changes were accepted, with boxes, fields, formulas and tables in tables, and what is left out is told", async () => {
    const inserted = `<w:ins w:id="1">${run("ninety")}</w:ins>`;
    const deleted = '<w:del w:id="2"><w:r><w:delText>eighty</w:delText></w:r></w:del>';
    const inner = `<w:tbl><w:tr><w:tc><w:p>${run("in it")}</w:p></w:tc></w:tr></w:tbl>`;
    const { parts, notes } = await parse(
      makeDocx([
        { xml: `<w:p>${run("We pay ")}${inserted}${deleted}${run(" euros.")}</w:p>` },
        { xml: `<w:sdt><w:sdtContent><w:p>${run("Filled in")}</w:p></w:sdtContent></w:sdt>` },
        { xml: `<w:tbl><w:tr><w:tc><w:p>${run("a | b")}</w:p>${inner}</w:tc><w:tc><w:p>${run("c")}</w:p></w:tc></w:tr></w:tbl>` },
        {
          xml: '<w:p><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>E</m:t></m:r></m:oMath></w:p>',
        },
      ]),
    );
    expect(parts[0]?.text).toMatch(/^We pay ninety euros\.\n\nFilled in\n\n\| a \\\| b <br> in it \| c \|\n\| --- \| --- \|\n\nE$/);
    expect(notes).toEqual([expect.stringMatching(/^Words that a tracked change deleted are left out, .* \(1\)\. /)]);
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
      notes: ["The name ends like another kind of file; the content is HTML and is read as that. Check that it is the file that you mean."],
    });
  });

  test.each([
    ["a.csv", bytesOf("a,b\n1,2\n"), { kind: "csv", parts: [{ headings: [], lines: [1, 2], text: "a,b\n1,2" }], notes: [] }],
    ["a.txt", Buffer.from("\ufeffgr\u00fcn", "utf16le"), { kind: "text", parts: [{ text: "gr\u00fcn" }], notes: [] }],
    [
      "a.txt",
      Buffer.from("gr\u00fcn", "latin1"),
      {
        parts: [{ text: "gr\u00fcn" }],
        notes: [expect.stringContaining("is read as windows-1252, which is a guess")],
      },
    ],
    ["\u05d0.txt", bytesOf("\u05e9\u05dc\u05d5\u05dd"), { parts: [{ text: "\u05e9\u05dc\u05d5\u05dd" }] }],
  ])("is read as %s", async (name, bytes, document) => {
    expect(await parse(bytes, { name })).toMatchObject(document);
  });

  test("keeps its lines where cells of a table hold some", async () => {
    const csv = 'name;price\r\n"Bolt; steel";"1,50"\r\n"two\r\nlines";2\r\n';
    expect(await parse(Buffer.from(csv), { name: "a.csv" })).toMatchObject({
      kind: "csv",
      parts: [{ lines: [1, 4], text: 'name;price\n"Bolt; steel";"1,50"\n"two\nlines";2' }],
    });
  });

  test.each([
    [
      "UTF-16 of the other order",
      "a.md",
      Buffer.from("\ufeff# gr\u00fcn\ntext", "utf16le").swap16(),
      { parts: [{ text: "# gr\u00fcn\ntext" }] },
    ],
    [
      "the encoding that a page names",
      "a.html",
      Buffer.from('<html><meta charset="shift_jis"><p>\x93\xfa\x96\x7b', "latin1"),
      { parts: [{ text: "\u65e5\u672c" }], notes: [] },
    ],
    [
      "Windows-1252, where a page names no encoding that there is",
      "a.html",
      Buffer.from("<html><meta charset='nonsense'><p>gr\xfcn", "latin1"),
      {
        parts: [{ text: "gr\u00fcn" }],
        notes: [expect.stringContaining("is read as windows-1252, which is a guess")],
      },
    ],
  ])("is read in %s", async (_, name, bytes, document) => {
    expect(await parse(bytes, { name })).toMatchObject(document);
  });

  test("of HTML is what a reader sees: no scripts, styles and templates, but what fields and frames hold", async () => {
    const html =
      "<!doctype html><title>T</title><style>p{}</style><script>evil()</script><template><p>t</p></template><h1>Title</h1><p>Shown<!-- not -->" +
      "<form><input value='typed'><textarea>area</textarea></form><iframe srcdoc='<p>frame'></iframe><table><tr><th>a<th>b<tr><td>1<td>2</table>";
    expect((await parse(Buffer.from(html))).parts).toEqual([
      { headings: ["Title"], text: "# Title\n\nShown\n\ntyped area\n\nframe\n\n| a | b |\n| --- | --- |\n| 1 | 2 |" },
    ]);
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
