import { createRequire } from "node:module";
import type { Text } from "./text.ts";

const require = createRequire(import.meta.url);
const PdfDocument = require("pdfkit");
const fontFile = (name: string) => require.resolve(`@fontsource/${name}-400-normal.woff`);
const fonts = {
  sans: fontFile("dejavu-sans/files/dejavu-sans-latin"),
  japanese: fontFile("noto-sans-jp/files/noto-sans-jp-japanese"),
};

// pdfkit has no types of its own.
type Pdf = ReturnType<typeof PdfDocument>;
interface Draft {
  readonly text: Text;
  readonly pdf: Pdf;
}

/** What a PDF holds, one thing each. */
const features: Readonly<Record<string, (draft: Draft) => void>> = {
  paragraphs({ text, pdf }) {
    for (const align of ["left", "justify", "right", "center"]) pdf.text(text.paragraph(), { align }).moveDown();
  },
  columns({ text, pdf }) {
    pdf.text(`${text.paragraph()} ${text.paragraph()} ${text.paragraph()}`, { columns: 2, columnGap: 20, height: 150, align: "justify" });
  },
  tables({ text, pdf }) {
    pdf.table({
      data: Array.from({ length: 5 }, () => [text.title(), text.mark(), `${text.int(10, 999)}.${text.int(10, 99)}`, text.words(3)]),
    });
  },
  "merged cells"({ text, pdf }) {
    pdf.table({
      data: [
        [
          { colSpan: 2, text: text.title() },
          { rowSpan: 2, text: text.mark() },
        ],
        [text.mark(), text.mark()],
        [{ colSpan: 3, text: text.sentence() }],
      ],
    });
  },
  "rotated text"({ text, pdf }) {
    for (const angle of [90, -90, 45, 180]) {
      pdf
        .save()
        .rotate(angle, { origin: [300, 400] })
        .text(text.plain(3), 250, 380, { lineBreak: false })
        .restore();
    }
  },
  links({ text, pdf }) {
    pdf.text(text.sentence(), { link: "https://example.com/", underline: true }).text(text.sentence(), { goTo: "end" });
  },
  comments({ text, pdf }) {
    pdf.text(text.sentence()).note(400, 100, 20, 20, text.sentence(), { Title: "Bo" });
    pdf.highlight(72, 200, 100, 12).underline(72, 220, 100, 12).textAnnotation(300, 300, 200, 30, text.plain(4));
  },
  forms({ text, pdf }) {
    startForm(pdf);
    const name = () => text.mark();
    pdf.text(text.sentence());
    pdf.formText(name(), 72, 500, 200, 20, { value: text.plain(2) });
    pdf.formText(name(), 72, 530, 200, 40, { value: text.plain(3), multiline: true, readOnly: true });
    pdf.formCombo(name(), 72, 580, 200, 20, { select: ["Norway", "Sweden"], value: "Sweden" });
    pdf.formList(name(), 72, 610, 200, 40, { select: ["red", "green"], value: "green" });
  },
  buttons({ text, pdf }) {
    startForm(pdf);
    pdf.formPushButton(text.mark(), 300, 500, 100, 20, { label: text.plain(1) });
  },
  "embedded fonts"({ text, pdf }) {
    pdf
      .font(fonts.sans)
      .text(text.paragraph())
      .text("office waffle affine fjord final", { features: ["liga"] })
      .font("Helvetica");
  },
  japanese({ text, pdf }) {
    pdf.font(fonts.japanese);
    for (let left = 3; left > 0; left -= 1)
      pdf.text("\u6771\u4eac\u306e\u5bb6\u8cc3\u306f\u652f\u6255\u308f\u308c\u307e\u3057\u305f\u3002".repeat(text.int(1, 4)));
    pdf.font("Helvetica").text(text.sentence());
  },
  "standard fonts"({ text, pdf }) {
    for (const font of ["Times-Roman", "Times-BoldItalic", "Courier", "Courier-Bold", "Helvetica-Oblique"])
      pdf.font(font).text(text.sentence());
    pdf.font("Symbol").text("abg").font("ZapfDingbats").text("abc").font("Helvetica").text(text.sentence());
  },
  attachments({ text, pdf }) {
    pdf.text(text.sentence()).file(Buffer.from(text.paragraph()), { name: "prices.csv", creationDate: day, modifiedDate: day });
    pdf.fileAnnotation(400, 400, 20, 20, { src: Buffer.from("a"), name: "lease.txt", creationDate: day, modifiedDate: day }, {});
  },
  "many pages"({ text, pdf }) {
    for (let left = 4; left > 0; left -= 1)
      pdf.addPage({ size: left % 2 ? "A5" : "LETTER", layout: left % 2 ? "landscape" : "portrait" }).text(text.paragraph());
  },
  "spaced letters"({ text, pdf }) {
    pdf
      .text(text.sentence(), { characterSpacing: 1 })
      .text(text.sentence(), { wordSpacing: 6 })
      .text(text.sentence(), { horizontalScaling: 70 });
  },
  "mixed looks"({ text, pdf }) {
    pdf.text(`${text.title()} `, { continued: true }).font("Helvetica-Bold").text("un", { continued: true }).font("Helvetica");
    pdf.text("able ", { continued: true }).fontSize(20).text(text.title(), { continued: true }).fontSize(10).text(` ${text.sentence()}`);
    pdf.text("10", { continued: true }).fontSize(7).text("6", { rise: 4 }).fontSize(12);
  },
  lists({ text, pdf }) {
    pdf.list([text.sentence(), [text.sentence(), text.sentence()], text.sentence()], { bulletRadius: 2 });
    pdf.list([text.sentence(), text.sentence()], { listType: "numbered" });
  },
  "tagged structure"({ text, pdf }) {
    const section = pdf.struct("Sect");
    pdf.addStructure(section);
    for (const tag of ["H1", "P", "P"]) section.add(pdf.struct(tag, () => void pdf.text(text.sentence())));
    section.end();
  },
  "text over drawings"({ text, pdf }) {
    pdf.rect(60, 300, 400, 100).fill("#ddeeff").fillColor("black").text(text.sentence(), 72, 320);
    pdf.text(text.plain(2), { stroke: true }).text(text.plain(2), { fill: false, stroke: false });
  },
  "chapters in the outline"({ text, pdf }) {
    pdf.outline.addItem(text.title());
    pdf.text(text.paragraph());
  },
};

/** A document has one form. */
const startForm = (pdf: Pdf) => void (pdf._root.data.AcroForm ?? pdf.font("Helvetica").initForm());

const day = new Date("2026-01-02T03:04:05Z");

export const pdfFeatures = Object.keys(features);

/** A PDF with these things, each on a page of its own. */
export function makePdf(text: Text, things: readonly string[]): Promise<Uint8Array> {
  const ways = [
    {},
    { compress: false },
    { pdfVersion: "1.7", lang: "en", tagged: true },
    { ownerPassword: "o", permissions: { copying: false } },
  ];
  const pdf: Pdf = new PdfDocument({ info: { Title: text.title(), CreationDate: day }, ...text.pick(ways) });
  const pieces: Uint8Array[] = [];
  pdf.on("data", (piece: Uint8Array) => void pieces.push(piece));
  const made = new Promise<Uint8Array>((resolve) => pdf.on("end", () => resolve(Buffer.concat(pieces))));
  for (const [index, thing] of things.entries()) {
    if (index > 0) pdf.addPage();
    pdf.font("Helvetica").fontSize(12).text(text.plain(6));
    features[thing]?.({ text, pdf });
  }
  pdf.end();
  return made;
}
