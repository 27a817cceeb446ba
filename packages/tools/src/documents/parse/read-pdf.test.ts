import { describe, expect, test } from "vitest";
import { makePdf } from "../../../test/make-pdf.ts";
import { usualLimits } from "./document.ts";
import { charactersOfGlyph } from "./glyph-names.ts";
import { readDocument } from "./read-document.ts";

const read = (bytes: Uint8Array<ArrayBuffer>, images = false) => readDocument(bytes, { name: "a.pdf", images, limits: usualLimits });

const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");
/** A table that says which character a code stands for. */
const toUnicode = (codes: Readonly<Record<number, number>>) => {
  const rows = Object.entries(codes).map(([code, to]) => `<${hex(Number(code), 2)}> <${hex(to, 4)}>`);
  return `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange ${rows.length} beginbfchar\n${rows.join("\n")}\nendbfchar endcmap end end`;
};
const digits = (first: number, step = 1) => Object.fromEntries(Array.from({ length: 10 }, (_, at) => [0x30 + at, first + at * step]));
const font = (more: string) =>
  `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 0 /LastChar 255 /Widths [${"500 ".repeat(256)}] ${more} >>`;
const words = (text: string) => Buffer.from(`BT /F1 12 Tf 72 700 Td (${text}) Tj ET`, "latin1");
const lostWords = /^Characters whose font does not say what they mean are shown as \ufffd \((\d+): page 1\)\. /;

describe("characters of a PDF that mean nothing", () => {
  test.each([
    ["private characters", "/Encoding /WinAnsiEncoding", digits(0xe100)],
    ["control characters", "/Encoding /WinAnsiEncoding", digits(0x01)],
    ["one character for all", "/Encoding /WinAnsiEncoding", digits(0xfffd, 0)],
    ["figures of Adobe's own range", "/Encoding /WinAnsiEncoding", digits(0xf730)],
    [
      "names that the font tells",
      "/Encoding << /Differences [48 /zero.tab /oneoldstyle /two /uni0033 /four /five /six /seven /eight /nine] >>",
      digits(0xe200),
    ],
  ])("such as %s are read by the names of their glyphs", async (_, encoding, codes) => {
    const bytes = makePdf([{ font: font(`${encoding} /ToUnicode 4 0 R`), content: words("1203 euros on day 5") }], {
      streams: [["", toUnicode(codes)]],
    });
    expect(await read(bytes)).toMatchObject({ parts: [{ text: "1203 euros on day 5" }], notes: [], pagesWithoutText: [] });
  });

  test("are shown in their place and told with page and count where no glyph has a name", async () => {
    const names = Array.from({ length: 10 }, (_, at) => `/g${at + 1}`).join(" ");
    const own = font(`/Encoding << /Differences [48 ${names}] >> /ToUnicode 4 0 R`);
    const bytes = makePdf([{ font: own, content: words("rent 1250 euros") }, { lines: ["Words"] }], {
      streams: [["", toUnicode(digits(0xe300))]],
    });
    const { parts, notes, pagesWithoutText } = await read(bytes);
    expect(parts.map(({ text }) => text)).toEqual(["rent \ufffd\ufffd\ufffd\ufffd euros", "Words"]);
    expect(notes).toEqual([expect.stringMatching(lostWords)]);
    expect(lostWords.exec(notes[0] ?? "")?.[1]).toBe("4");
    expect(pagesWithoutText).toEqual([]);
  });

  test("are the page's only ones where it is a page without text", async () => {
    const own = font(`/Encoding << /Differences [48 ${"/g1 ".repeat(10)}] >> /ToUnicode 4 0 R`);
    const { parts, notes, pagesWithoutText } = await read(
      makePdf([{ font: own, content: words("12 50") }], { streams: [["", toUnicode(digits(0xe300))]] }),
    );
    expect(parts[0]?.text).toBe("");
    expect(pagesWithoutText).toEqual([1]);
    expect(notes).toHaveLength(1);
  });

  test.each([
    ["five", "5"],
    ["five.lf", "5"],
    ["fiveoldstyle", "5"],
    ["Asmall", "A"],
    ["f_i", "fi"],
    ["uni20AC", "\u20ac"],
    ["u1F600", "\u{1f600}"],
    ["uniD800", undefined],
    ["g17", undefined],
    ["cid12", undefined],
    [".notdef", undefined],
    ["constructor", undefined],
  ])("%s is the name of %s", (name, characters) => {
    expect(charactersOfGlyph(name)).toBe(characters);
  });
});

const fax = Buffer.from("/8nBp///////////////j///8AEAEA==", "base64");
const mask = (filter: string, more = "") =>
  [`/Type /XObject /Subtype /Image /Width 64 /Height 64 /ImageMask true /BitsPerComponent 1 /Filter /${filter} ${more}`, fax] as const;

describe("scans in a PDF", () => {
  test.each(["CCITTFaxDecode", "JBIG2Decode", "JPXDecode"])(
    "whose masks are %s are pages without text, also below a comment",
    async (filter) => {
      const content = Buffer.from("0 g q 400 0 0 400 100 200 cm /Im0 Do Q");
      const page = { content, resources: "/XObject << /Im0 4 0 R >>" };
      const comment = ["/Subtype /Text /Contents (Too dark) /T (Bo) /Rect [1 1 20 20]"];
      const blank = { content: Buffer.from("q 1 0 0 1 0 0 cm Q") };
      const bytes = makePdf([page, { ...page, annotations: comment }, blank], {
        streams: [mask(filter, "/DecodeParms << /K -1 /Columns 64 /Rows 64 >>")],
      });
      const { pagesWithoutText, notes, parts } = await read(bytes, true);
      expect(pagesWithoutText).toEqual([1, 2]);
      expect(parts[1]?.text).toBe("Comment by Bo: Too dark");
      expect(notes).toEqual([expect.stringMatching(/^Pictures in JPEG 2000, JBIG2 or fax form .* \(2: pages 1-2\)\. /)]);
    },
  );
});

const drawing = (text: string) =>
  [
    "/Type /XObject /Subtype /Form /BBox [0 0 300 40] /Resources << /Font << /F1 3 0 R >> >>",
    `BT /F1 10 Tf 2 20 Td (${text}) Tj 0 -12 Td [(by ) -300 (Ann)] TJ ET`,
  ] as const;
const rect = "/Rect [72 500 372 540]";

describe("what stands on a page of a PDF", () => {
  test.each([
    [
      "a choice by the words that it shows",
      "land: Norway",
      `/Subtype /Widget /FT /Ch /Ff 131072 /T (land) /Opt [[(NO) (Norway)] [(SE) (Sweden)]] /V (NO)`,
    ],
    [
      "choices",
      "lands: Norway, Sweden",
      `/Subtype /Widget /FT /Ch /Ff 2097152 /T (lands) /Opt [[(NO) (Norway)] [(SE) (Sweden)]] /V [(NO) (SE)]`,
    ],
    [
      "what a list shows beside the choice",
      "land: [x] Norway, Sweden",
      `/Subtype /Widget /FT /Ch /T (land) /Opt [[(NO) (Norway)] [(SE) (Sweden)]] /V (NO)`,
    ],
    [
      "a list of which nobody chose",
      "land: Norway, Sweden",
      `/Subtype /Widget /FT /Ch /Ff 2097152 /T (land) /Opt [(Norway) (Sweden)] /AP << /N 4 0 R >>`,
    ],
    ["a choice that is not among them", "land: Chile", `/Subtype /Widget /FT /Ch /Ff 393216 /T (land) /Opt [(Norway)] /V (Chile)`],
    ["the words of a button", "b: Send by Ann", "/Subtype /Widget /FT /Btn /Ff 65536 /T (b) /AP << /N 4 0 R >>"],
    ["what a signature shows", "sig: Send by Ann", "/Subtype /Widget /FT /Sig /T (sig) /AP << /N 4 0 R >> /V << /Type /Sig /Name (Ann) >>"],
    ["a field without a value that is drawn", "a: Send by Ann", "/Subtype /Widget /FT /Tx /T (a) /AP << /N 4 0 R >>"],
    ["a stamp", "Send by Ann", "/Subtype /Stamp /AP << /N 4 0 R >>"],
    ["typed words that are only drawn", "Send by Ann", "/Subtype /FreeText /AP << /N 4 0 R >>"],
    ["a sticky note", "Comment by Bo: Lower it.", "/Subtype /Text /T (Bo) /Contents (Lower it.)"],
    ["a comment on a mark", "Comment by somebody: Lower it.", "/Subtype /Circle /Contents (Lower it.)"],
    ["nothing of a hidden note", undefined, "/Subtype /Text /F 2 /Contents (Lower it.)"],
    ["nothing of a link and of the window of a note", undefined, "/Subtype /Popup /Contents (Lower it.)"],
  ])("is read: %s", async (_, text, annotation) => {
    const { parts } = await read(
      makePdf([{ lines: ["Body"], annotations: [`${annotation} ${rect}`] }], {
        streams: [drawing("Send")],
        catalog: "/AcroForm << /Fields [] >>",
      }),
    );
    expect(parts[0]?.text).toBe(text === undefined ? "Body" : `Body\n\n${text}`);
  });

  test("is told where it cannot be read, with the pages", async () => {
    const annotations = [
      `/Subtype /Widget /FT /Sig /T (sig) ${rect}`,
      `/Subtype /Widget /FT /Btn /Ff 65536 /T (send) /MK << /CA (Send) >> ${rect}`,
      `/Subtype /StrikeOut ${rect} /QuadPoints [72 540 372 540 72 500 372 500]`,
      `/Subtype /FileAttachment /FS << /Type /Filespec /F (lease.txt) /EF << /F 4 0 R >> >> ${rect}`,
    ];
    const { notes } = await read(
      makePdf([{ lines: ["Body"] }, { lines: ["Body"], annotations }], { streams: [["/Type /EmbeddedFile", "rent"]] }),
    );
    expect(notes).toEqual([
      expect.stringMatching(/^Fields for signatures .* \(1: page 2; sig\)\. /),
      expect.stringMatching(/^Buttons .* \(1: page 2; send\)\. /),
      expect.stringMatching(/^Words that somebody struck out .* \(1: page 2/),
      expect.stringMatching(/^Files that the PDF embeds are left out \(1: page 2; lease\.txt\)\. /),
    ]);
  });
});

describe("raised and lowered words of a PDF", () => {
  const shown = (...pieces: readonly (readonly [text: string, size: number, rise: number])[]) =>
    Buffer.from(`BT 72 700 Td ${pieces.map(([text, size, rise]) => `/F1 ${size} Tf ${rise} Ts (${text}) Tj`).join(" ")} ET`, "latin1");

  test.each([
    ["a power", "10^6 of it", shown(["10", 12, 0], ["6", 7, 5], [" of it", 12, 0])],
    ["an index", "CO_2 and H_2O", shown(["CO", 12, 0], ["2", 7, -2], [" and H", 12, 0], ["2", 7, -2], ["O", 12, 0])],
    ["the number of a note in the text", "is due.^1 Then", shown(["is due.", 12, 0], ["1", 7, 5], [" Then", 12, 0])],
    ["the number before a note", "1 See below", shown(["1", 7, 5], ["See below", 12, 0])],
    ["letters behind a number, which are its ending", "the 29th day", shown(["the 29", 12, 0], ["th", 7, 5], [" day", 12, 0])],
    ["letters that begin large", "Rent is due", shown(["R", 24, 0], ["ent is due", 12, 0])],
    ["words of one line in two sizes", "Rent 5 is due", shown(["Rent ", 12, 0], ["5", 7, 0], [" is due", 12, 0])],
  ])("are told apart: %s", async (_, text, content) => {
    expect(await read(makePdf([{ content }]))).toMatchObject({ parts: [{ text }], notes: [] });
  });
});

describe("words of which a PDF keeps a text apart from their glyphs", () => {
  const span = (glyphs: string, properties: string) => `/Span << ${properties} >> BDC BT /F1 12 Tf 72 700 Td (${glyphs}) Tj ET EMC\n`;
  const note = /^Words of which the PDF keeps a text apart from their glyphs are read by their glyphs \((\d+): page 1\)\. /;

  test("are told with page and count", async () => {
    const content = Buffer.from(span("qq", "/ActualText (rent)") + span("w", "/ActualText (due)"));
    const { parts, notes } = await read(makePdf([{ content }]));
    expect(parts[0]?.text).toContain("qq");
    expect(notes).toEqual([expect.stringMatching(note)]);
    expect(note.exec(notes[0] ?? "")?.[1]).toBe("2");
  });

  test.each([
    ["hyphens at the end of a line", span("-", "/ActualText <FEFF00AD>")],
    ["blanks", span(" ", "/ActualText ( )")],
    ["parts of a tagged text", span("rent", "/MCID 0")],
  ])("are not told of %s", async (_, content) => {
    expect((await read(makePdf([{ content: Buffer.from(content), lines: [] }]))).notes).toEqual([]);
  });
});

describe("a PDF that is more than its pages", () => {
  test("names the files that it embeds", async () => {
    const files = ["a.txt", "b.txt"].map((name) => `(${name}) << /Type /Filespec /F (${name}) /EF << /F 4 0 R >> >>`).join(" ");
    const catalog = `/Names << /EmbeddedFiles << /Names [${files}] >> >> /Collection << /View /D >>`;
    const { notes } = await read(makePdf([{ lines: ["Open in a reader"] }], { catalog, streams: [["/Type /EmbeddedFile", "rent"]] }));
    expect(notes).toEqual([expect.stringMatching(/^Files that the PDF embeds are left out \(2: a\.txt, b\.txt\)\. /)]);
  });

  test.each(["4 0 R", "[(template) 4 0 R]"])("says that it is an XFA form: %s", async (xfa) => {
    const form = '<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template/></xdp:xdp>';
    const { notes } = await read(
      makePdf([{ lines: ["Please wait"] }], { catalog: `/AcroForm << /Fields [] /XFA ${xfa} >>`, streams: [["", form]] }),
    );
    expect(notes).toEqual([expect.stringMatching(/^The PDF is an XFA form, .* Open it in Adobe/)]);
  });
});
