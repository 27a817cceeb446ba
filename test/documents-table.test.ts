import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { usualLimits } from "../packages/tools/src/documents/parse/document.ts";
import { readDocument } from "../packages/tools/src/documents/parse/read-document.ts";
import { packStored } from "../packages/tools/src/documents/parse/zip.ts";
import { docxFiles } from "../packages/tools/test/make-docx.ts";
import { makeNotebook } from "../packages/tools/test/make-notebook.ts";
import { makePdf } from "../packages/tools/test/make-pdf.ts";
import { root } from "./architecture/source-files.ts";

const page = readFileSync(join(root, "docs/reference/documents.md"), "utf8");

interface Row {
  readonly format: string;
  readonly what: string;
  readonly is: string;
  readonly as: string;
}

/** Rows of the tables below "Formats"; in their last column, \t is a tab and \| a bar. */
const rows = page
  .slice(page.indexOf("## Formats"), page.indexOf("## Readers"))
  .split(/^### /m)
  .slice(1)
  .flatMap((section): Row[] => {
    const [format = "", ...lines] = section.split("\n");
    return lines.flatMap((line) => {
      const [, what, is, as = ""] = /^\| (.*?) +\| (kept|told|marked|listed|lost) +\| (.*?) *\|$/.exec(line) ?? [];
      const literal = as.replace(/^`|`$/g, "").replaceAll("\\|", "|").replaceAll("\\t", "\t");
      return what === undefined || is === undefined ? [] : [{ format, what, is, as: literal }];
    });
  });

interface Sample {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly images?: boolean;
}

type Page = Parameters<typeof makePdf>[0][number];
type PdfOptions = NonNullable<Parameters<typeof makePdf>[1]>;
const pdf = (pdfPage: Page, options: PdfOptions & { readonly images?: boolean } = {}): Sample => ({
  name: "a.pdf",
  bytes: makePdf([pdfPage], options),
  ...(options.images === true && { images: true }),
});
const rect = "/Rect [72 500 372 540]";
const field = (entries: string, drawing?: string) =>
  pdf(
    { lines: ["Body"], annotations: [`${entries} ${rect}${drawing === undefined ? "" : " /AP << /N 4 0 R >>"}`] },
    drawing === undefined
      ? {}
      : {
          streams: [
            [
              "/Type /XObject /Subtype /Form /BBox [0 0 300 40] /Resources << /Font << /F1 3 0 R >> >>",
              `BT /F1 10 Tf 2 20 Td (${drawing}) Tj ET`,
            ],
          ],
        },
  );
/** 1250 in a font whose table of characters leads to private ones. */
const figures = (encoding: string) => {
  const codes = Array.from({ length: 10 }, (_, at) => `<3${at}> <e10${at}>`).join("\n");
  const table = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange 10 beginbfchar\n${codes}\nendbfchar endcmap end end`;
  const font = `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding ${encoding} /ToUnicode 4 0 R >>`;
  return pdf({ font, content: Buffer.from("BT /F1 12 Tf 72 700 Td (1250 euros) Tj ET") }, { streams: [["", table]] });
};
const chinese =
  "<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /90ms-RKSJ-H /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Song /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 2 >> /FontDescriptor << /Type /FontDescriptor /FontName /Song /Flags 6 >> >>] >>";
const mask = "/Type /XObject /Subtype /Image /Width 64 /Height 64 /ImageMask true /BitsPerComponent 1 /Filter /JBIG2Decode";
const picture = { width: 64, height: 64, bits: 8 as const, data: new Uint8Array(64 * 64) };
const embedded = "/Names << /EmbeddedFiles << /Names [(a.txt) << /Type /Filespec /F (a.txt) /EF << /F 4 0 R >> >>] >> >>";

const pdfs: Readonly<Record<string, Sample>> = {
  pages: pdf({ lines: ["Rent is due."] }),
  "cells of a row": pdf({
    texts: [
      { text: "Item", x: 72, y: 700 },
      { text: "Price", x: 300, y: 700 },
    ],
  }),
  "raised and lowered numbers": pdf({
    content: Buffer.from("BT 72 700 Td /F1 12 Tf (10) Tj /F1 7 Tf 5 Ts (6) Tj /F1 12 Tf 0 Ts ( CO) Tj /F1 7 Tf -2 Ts (2) Tj ET"),
  }),
  "characters without a meaning whose glyphs have names": figures("/WinAnsiEncoding"),
  "characters without a meaning": figures(`<< /Differences [48 ${"/g1 ".repeat(10)}] >>`),
  "words of which the PDF keeps a text apart from their glyphs": pdf({
    content: Buffer.from("/Span << /ActualText (rent 1) >> BDC BT /F1 12 Tf 72 700 Td (qq 1) Tj ET EMC"),
  }),
  "fonts that need tables of characters": pdf({ font: chinese, content: Buffer.from("BT /F1 20 Tf 72 700 Td <4f60> Tj ET") }),
  scans: pdf({ picture }),
  "scans as masks in fax, JBIG2 and JPEG 2000 form": pdf(
    { content: Buffer.from("q 400 0 0 400 100 200 cm /Im0 Do Q"), resources: "/XObject << /Im0 4 0 R >>" },
    { streams: [[mask, "none"]] },
  ),
  "pictures in fax, JBIG2 and JPEG 2000 form, with `images`": pdf({ picture: { ...picture, encoding: "JPXDecode" } }, { images: true }),
  "fields with their values": field("/Subtype /Widget /FT /Tx /T (name) /TU (Full name) /V (Ann Example)"),
  "choices by the words that they show": field("/Subtype /Widget /FT /Ch /Ff 131072 /T (land) /Opt [[(NO) (Norway)]] /V (NO)"),
  "what lists show beside the choice": field("/Subtype /Widget /FT /Ch /T (lands) /Opt [(Norway) (Sweden)] /V (Sweden)"),
  "boxes that are ticked": field("/Subtype /Widget /FT /Btn /T (agree) /V /Yes /AS /Yes /AP << /N << /Yes null /Off null >> >>"),
  "boxes that are not": field("/Subtype /Widget /FT /Btn /T (refuse) /V /Off /AS /Off /AP << /N << /Yes null /Off null >> >>"),
  "fields for passwords": field("/Subtype /Widget /FT /Tx /T (pin) /V (1234) /Ff 8192"),
  "captions of buttons, as they are drawn": field("/Subtype /Widget /FT /Btn /Ff 65536 /T (send)", "Send form"),
  "captions of buttons that are not drawn": field("/Subtype /Widget /FT /Btn /Ff 65536 /T (send) /MK << /CA (Send form) >>"),
  "signatures, as they are drawn": field("/Subtype /Widget /FT /Sig /T (sig)", "Signed by Ann"),
  "words and stamps that somebody put on a page": field("/Subtype /FreeText /Contents (Typed on the page)"),
  comments: field("/Subtype /Text /T (Bo) /Contents (Lower it.)"),
  "words that somebody struck out with a mark": field("/Subtype /StrikeOut /QuadPoints [72 540 372 540 72 500 372 500]"),
  "files within the PDF, portfolios": pdf({ lines: ["Body"] }, { catalog: embedded, streams: [["/Type /EmbeddedFile", "rent"]] }),
  "XFA forms": pdf({ lines: ["Body"] }, { catalog: "/AcroForm << /Fields [] /XFA 4 0 R >>", streams: [["", "<x/>"]] }),
  "the look of words: bold, size, colour": pdf({ texts: [{ text: "Body", x: 72, y: 700, size: 40 }] }),
};

const names = [
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"',
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"',
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"',
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"',
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:v="urn:schemas-microsoft-com:vml"',
].join(" ");
const rels = (inner: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
const relationship = (type: string, target: string) => `<Relationship Id="r-${type}" Type="x/${type}" Target="${target}"/>`;

/** A document of a body, and other files by their names below `word`. A reference `r-TYPE` leads to them. */
function docx(body: string, files: Readonly<Record<string, string>> = {}): Sample {
  const all = docxFiles([]);
  const put = (name: string, text: string) => all.set(`word/${name}`, new TextEncoder().encode(text));
  put("document.xml", `<w:document ${names}><w:body>${body}</w:body></w:document>`);
  const link = '<Relationship Id="r-link" Type="x/hyperlink" Target="https://example.com/terms" TargetMode="External"/>';
  put(
    "_rels/document.xml.rels",
    rels(
      link +
        Object.keys(files)
          .map((name) => relationship(name.split(".")[0] ?? "", name))
          .join(""),
    ),
  );
  for (const [name, text] of Object.entries(files)) put(name, text.replaceAll("NAMES", names));
  return { name: "a.docx", bytes: packStored(all) };
}
const run = (text: string, look = "") => `<w:r><w:rPr>${look}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (inner: string, properties = "") => `<w:p><w:pPr>${properties}</w:pPr>${inner}</w:p>`;
const mark = (type: string, data = "") => `<w:r><w:fldChar w:fldCharType="${type}">${data}</w:fldChar></w:r>`;
const instruct = (text: string) => `<w:r><w:instrText> ${text} </w:instrText></w:r>`;
const control = (properties: string, inner: string) =>
  `<w:sdt><w:sdtPr>${properties}</w:sdtPr><w:sdtContent>${inner}</w:sdtContent></w:sdt>`;
const table = (...lines: readonly (readonly string[])[]) =>
  `<w:tbl>${lines.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join("")}</w:tr>`).join("")}</w:tbl>`;
const numbered = (format: string) =>
  `<w:numbering NAMES><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="5"/><w:numFmt w:val="${format}"/><w:lvlText w:val="Article %1"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`;
const item = p(run("Pets"), '<w:numPr><w:numId w:val="1"/></w:numPr>');
const image = (alt: string) => p(`<w:r><w:drawing><wp:docPr id="1"${alt}/><a:blip r:embed="none"/></w:drawing></w:r>`);
const letter = (text: string) => `<m:r><m:t>${text}</m:t></m:r>`;

const docxs: Readonly<Record<string, Sample>> = {
  headings: docx(p(run("Rent"), '<w:outlineLvl w:val="1"/>')),
  "numbers of lists and headings, as Word shows them": docx(item, { "numbering.xml": numbered("decimal") }),
  "numbers in a format that is not known": docx(item, { "numbering.xml": numbered("thaiCounting") }),
  links: docx(p(`<w:hyperlink r:id="r-link">${run("terms")}</w:hyperlink>`)),
  "results of fields, simple and merge fields": docx(
    p(`${run("Dear ")}<w:fldSimple w:instr="MERGEFIELD Name">${run("Ann")}</w:fldSimple>`),
  ),
  "fields without a result": docx(p(mark("begin") + instruct("MERGEFIELD Name") + mark("end"))),
  "ticked boxes, of content controls and of older forms": docx(
    p(
      control('<w14:checkbox><w14:checked w14:val="1"/></w14:checkbox>', run("\u2612")) +
        run(" yes ") +
        mark("begin", "<w:ffData><w:checkBox/></w:ffData>") +
        instruct("FORMCHECKBOX") +
        mark("end") +
        run(" no"),
    ),
  ),
  choices: docx(p(control("<w:dropDownList/>", run("Norway")))),
  "fields of a form that nobody filled in": docx(p(control("<w:showingPlcHdr/>", run("Choose a land.")))),
  "raised and lowered words": docx(
    p(`${run("10")}${run("6", '<w:vertAlign w:val="superscript"/>')}${run(" CO")}${run("2", '<w:vertAlign w:val="subscript"/>')}`),
  ),
  "bold, italic and struck words": docx(
    p(`${run("now", "<w:b/>")} ${run(" ")}${run("soon", "<w:i/>")}${run(" ")}${run("never", "<w:strike/>")}`),
  ),
  "hidden words": docx(p(run("secret", "<w:vanish/>"))),
  "tracked changes, as if they were accepted": docx(p(`${run("a")}<w:del><w:r><w:delText>b</w:delText></w:r></w:del>`)),
  ruby: docx(p(`<w:r><w:ruby><w:rt>${run("Tokyo")}</w:rt><w:rubyBase>${run("\u6771\u4eac")}</w:rubyBase></w:ruby></w:r>`)),
  "runs from right to left": docx(p(`<w:bdo w:val="rtl">${run("\u05e9\u05dc\u05d5\u05dd", "<w:rtl/>")}</w:bdo>`)),
  "line breaks and tabs": docx(p("<w:r><w:t>left</w:t><w:ptab/><w:t>right</w:t></w:r>")),
  "tables, each cell below its heading": docx(
    table(
      [p(run("Year")), p(run("Quarter")), p(run("Sales"))],
      [`<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>${p(run("2020"))}`, p(run("Q1")), p(run("10"))],
      [`<w:tcPr><w:vMerge/></w:tcPr>${p("")}`, p(run("Q2")), p(run("20"))],
    ),
  ),
  "tables within a cell": docx(table([p(run("a")), table([p(run("x")), p(run("in 1"))], [p(run("in 2")), p(run("y"))])])),
  "text boxes, shapes with words": docx(
    p(`<w:r><w:pict><v:textbox><w:txbxContent>${p(run("Words in a box"))}</w:txbxContent></v:textbox></w:pict></w:r>`),
  ),
  "formulas, in one line": docx(p(`<m:oMath><m:f><m:num>${letter("a+b")}</m:num><m:den>${letter("2")}</m:den></m:f></m:oMath>`)),
  "charts and diagrams: their words and numbers": docx(p('<w:r><w:drawing><c:chart r:id="r-chart"/></w:drawing></w:r>'), {
    "chart.xml": "<c:chartSpace NAMES><a:p><a:t>Sales</a:t></a:p><c:v>2020</c:v><c:v>10</c:v></c:chartSpace>",
  }),
  "footnotes and endnotes": docx(p(`${run("a")}<w:r><w:footnoteReference w:id="1"/></w:r>`), {
    "footnotes.xml": `<w:footnotes NAMES><w:footnote w:id="1">${p(run("See below."))}</w:footnote></w:footnotes>`,
  }),
  comments: docx(p(`${run("a")}<w:r><w:commentReference w:id="1"/></w:r>`), {
    "comments.xml": `<w:comments NAMES><w:comment w:id="1" w:author="Bo">${p(run("Lower it."))}</w:comment></w:comments>`,
  }),
  "headers and footers, each once, after the text": docx(`${p(run("a"))}<w:sectPr><w:headerReference r:id="r-header"/></w:sectPr>`, {
    "header.xml": `<w:hdr NAMES>${p(run("Acme"))}</w:hdr>`,
  }),
  "descriptions of pictures": docx(image(' descr="Our team"')),
  "pictures without a description": docx(image("")),
  "symbols of Wingdings, Symbol and the like": docx(p('<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>')),
  "symbols of other fonts": docx(p('<w:r><w:sym w:font="Ours" w:char="F0FC"/></w:r>')),
  "documents of HTML and text within the text": docx('<w:altChunk r:id="r-aFChunk"/>', {
    "aFChunk.html": "<html><body><p>From a page</p></body></html>",
  }),
  "other documents within the text": docx('<w:altChunk r:id="r-aFChunk"/>', { "aFChunk.rtf": "{\\rtf1 words}" }),
  "files of other programs": docx(p(run("a")), { "embeddings/sheet.xlsx": "x" }),
  "fonts, sizes, colours, macros": docx(p(run("a", '<w:rFonts w:ascii="Courier"/>'))),
};

const text = (name: string, content: string | Uint8Array): Sample => ({ name, bytes: Buffer.from(content as string) });
const html = (body: string) => text("a.html", `<!doctype html><html><body>${body}</body></html>`);
const cell = (outputs: readonly unknown[]): Sample => ({
  name: "a.ipynb",
  bytes: makeNotebook([{ type: "code", source: "f()", outputs: outputs as never }]),
});

const samples: Readonly<Record<string, Readonly<Record<string, Sample>>>> = {
  PDF: pdfs,
  "Word (.docx)": docxs,
  HTML: {
    headings: html("<h1>Prices</h1><p>a</p>"),
    links: html('<p>See <a href="https://example.com/terms">terms</a>.</p>'),
    tables: html("<table><tr><th>Item</th><th>Price</th></tr><tr><td>Bolt</td><td>12</td></tr></table>"),
    "cells below their headings, also where some span others": html(
      "<table><tr><th>Town</th><th>Day</th></tr><tr><td rowspan=2>Ulm</td><td>May</td></tr><tr><td>June</td></tr></table>",
    ),
    "lines of code": html("<pre>one<br>two</pre>"),
    "deleted and inserted words": html("<p>Pay <del>100</del> <ins>80</ins></p>"),
    "raised and lowered words, and notes": html("<p>10<sup>6</sup> of CO<sub>2</sub>, they say.<sup>1</sup></p>"),
    "formulas, once": html('<math><mi>y</mi><annotation encoding="application/x-tex">y^2</annotation></math>'),
    "navigation, notes, forms and what their controls show": html("<nav>ways</nav><aside>note</aside><form><button>Save</button></form>"),
    "documents in frames, shadow roots": html('<iframe srcdoc="<p>framed</p>"></iframe>'),
    "pages that only scripts fill": html("<div id=root></div><script src=x></script>"),
    "descriptions of pictures": html('<p>a <img src="x.png" alt="A bolt"></p>'),
    "scripts and styles": html("<p>a</p><script>alert(1)</script><style>p{}</style>"),
  },
  "Mail and saved pages (MHTML)": {
    "subject, people, date and words": text("a.eml", "From: ann@example.org\nSubject: Rent\nMIME-Version: 1.0\n\nIt is due."),
    attachments: text(
      "a.eml",
      "From: a@example.org\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nWords\n--b\nContent-Disposition: attachment; filename=plan.pdf\n\nx\n--b--\n",
    ),
  },
  Notebooks: {
    "text, code and outputs": cell([{ output_type: "stream", text: "1" }]),
    "outputs that are HTML, LaTeX or JSON alone": cell([{ output_type: "display_data", data: { "text/html": "<p>shown</p>" } }]),
    "lines of progress, in their last state": cell([{ output_type: "stream", text: "10%\r100%" }]),
    "characters of outputs above 20,000": cell([{ output_type: "stream", text: "9".repeat(20_010) }]),
    "names of pictures": cell([{ output_type: "display_data", data: { "image/png": "AA==", "text/plain": "<Figure>" } }]),
    "colours of a terminal": cell([{ output_type: "stream", text: "\u001b[31mred\u001b[0m" }]),
  },
  "Markdown, CSV and text": {
    "Markdown as it is": text("a.md", "# Now\n\n*soon* <b>\n"),
    "rows of CSV as they are": text("a.csv", 'c;d\n"a; b";2\n'),
    "text in UTF-8 and UTF-16": text("a.txt", Buffer.from("\ufeffgr\u00fcn", "utf16le")),
    "text in an encoding that it names, or with escapes": text("a.txt", "\u001b$B1X\u001b(B"),
    "text in another encoding": text("a.txt", Buffer.from("5 gr\u00fcn", "latin1")),
    "control characters": text("a.log", "5 \u001b[31mred\u001b[0m"),
  },
};

describe("the table of what documents keep, tell and lose", () => {
  test("has a row for each document here, and no other", () => {
    const here = Object.entries(samples).flatMap(([format, all]) => Object.keys(all).map((what) => `${format}: ${what}`));
    expect(rows.map(({ format, what }) => `${format}: ${what}`)).toEqual(here);
  });

  test.each(rows)("$format: $what is $is", async ({ format, what, is, as }) => {
    const sample = samples[format]?.[what];
    if (!sample) throw new Error("The row has no document.");
    const { parts, notes, pagesWithoutText } = await readDocument(Uint8Array.from(sample.bytes), {
      ...{ name: sample.name, images: sample.images === true, limits: usualLimits },
    });
    const words = parts.map((part) => part.text).join("\n");
    const isTold = notes.some((note) => note.startsWith(as) && /\. [A-Z].*\.$/.test(note));
    const found = {
      kept: words.includes(as),
      told: isTold,
      marked: isTold && /\[|\ufffd|\d|: /.test(words),
      listed: pagesWithoutText.length === 1,
    };
    if (is === "lost") expect([words.includes(as), notes]).toEqual([false, []]);
    else expect(found, words + notes.join("\n")).toMatchObject({ [is]: true });
    if (is === "kept") expect(notes).toEqual([]);
  });

  test("names the versions of the readers that are installed", () => {
    const readers = page.slice(page.indexOf("## Readers"));
    const { dependencies } = JSON.parse(readFileSync(join(root, "packages/tools/package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    const named = Array.from(readers.matchAll(/`([\w@/-]+)` (\d+\.\d+\.\d+)/g), ([, name = "", version = ""]) => [name, version]);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter(([name = "", version]) => dependencies[name] !== version)).toEqual([]);
    const [, pdfjs] = /PDF\.js (\d+\.\d+\.\d+)/.exec(readers) ?? [];
    expect(readFileSync(join(root, "node_modules/unpdf/dist/pdfjs.mjs"), "latin1")).toContain(`"${pdfjs}"`.replaceAll('"', ""));
  });
});
