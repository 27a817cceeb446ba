import * as docx from "docx";
import { ChartRun } from "docx/charts";
import { EmbeddedFileRun } from "docx/embedded-files";
import { TextWatermark } from "docx/watermarks";
import type { Text } from "./text.ts";

type Block = docx.Paragraph | docx.Table | docx.Textbox | docx.TableOfContents;
type Options = ConstructorParameters<typeof docx.Document>[0];

/** A document on its way: what it holds, and what belongs to it as a whole. */
interface Draft {
  readonly text: Text;
  readonly blocks: Block[];
  readonly footnotes: Record<number, { children: docx.Paragraph[] }>;
  readonly endnotes: Record<number, { children: docx.Paragraph[] }>;
  readonly comments: docx.ICommentOptions[];
  section: Partial<docx.ISectionOptions>;
}

const day = new Date("2026-01-02T03:04:05Z");
const changed = (id: number) => ({ id, author: "Bo", date: day.toISOString() });
const run = (text: string, look: object = {}) => new docx.TextRun({ text, ...look });
const paragraph = (...children: docx.ParagraphChild[]) => new docx.Paragraph({ children });
const of = (text: string) => paragraph(run(text));
const cell = (text: string, span: object = {}) => new docx.TableCell({ children: [of(text)], ...span });

/** What a document of Word holds, one thing each. */
const features: Readonly<Record<string, (draft: Draft) => void>> = {
  headings({ text, blocks }) {
    for (const heading of [docx.HeadingLevel.TITLE, docx.HeadingLevel.HEADING_1, docx.HeadingLevel.HEADING_2, docx.HeadingLevel.HEADING_3])
      blocks.push(new docx.Paragraph({ text: text.title(), heading }), of(text.paragraph()));
  },
  "numbered lists"({ text, blocks }) {
    for (const level of [0, 0, 1, 1, 2, 0])
      blocks.push(new docx.Paragraph({ text: text.sentence(), numbering: { reference: "numbers", level } }));
  },
  bullets({ text, blocks }) {
    for (const level of [0, 1, 2, 0]) blocks.push(new docx.Paragraph({ text: text.sentence(), bullet: { level } }));
  },
  tables({ text, blocks }) {
    const rows = Array.from({ length: text.int(2, 6) }, () => Array.from({ length: 4 }, () => cell(text.words(text.int(1, 4)))));
    blocks.push(new docx.Table({ rows: rows.map((children) => new docx.TableRow({ children })) }));
  },
  "merged cells"({ text, blocks }) {
    const rows = [
      [cell(text.title(), { columnSpan: 2 }), cell(text.title(), { rowSpan: 3 }), cell(text.mark())],
      [cell(text.mark(), { rowSpan: 2 }), cell(text.mark()), cell(text.mark())],
      [cell(text.mark(), { columnSpan: 1 }), cell(text.mark())],
      [cell(text.sentence(), { columnSpan: 4 })],
    ];
    blocks.push(new docx.Table({ rows: rows.map((children) => new docx.TableRow({ children })) }));
  },
  "tables within tables"({ text, blocks }) {
    const inner = new docx.Table({ rows: [1, 2].map(() => new docx.TableRow({ children: [cell(text.mark()), cell(text.words(3))] })) });
    const outer = new docx.TableCell({ children: [of(text.sentence()), inner, of(text.mark())] });
    const last = new docx.TableRow({ children: [cell(text.mark()), cell(text.mark())] });
    blocks.push(new docx.Table({ rows: [new docx.TableRow({ children: [outer, cell(text.sentence())] }), last] }));
  },
  footnotes({ text, blocks, footnotes }) {
    for (let left = 3; left > 0; left -= 1) {
      const id = Object.keys(footnotes).length + 1;
      footnotes[id] = { children: [of(text.sentence()), of(text.sentence())] };
      blocks.push(paragraph(run(text.sentence()), new docx.FootnoteReferenceRun(id), run(` ${text.sentence()}`)));
    }
  },
  endnotes({ text, blocks, endnotes }) {
    const id = Object.keys(endnotes).length + 1;
    endnotes[id] = { children: [of(text.paragraph())] };
    blocks.push(paragraph(run(text.sentence()), new docx.EndnoteReferenceRun(id)));
  },
  "tracked changes"({ text, blocks }) {
    blocks.push(
      paragraph(
        run(`${text.sentence()} `),
        new docx.InsertedTextRun({ text: text.sentence(), ...changed(text.int(1, 9_999)) }),
        new docx.DeletedTextRun({ text: text.sentence(), ...changed(text.int(1, 9_999)) }),
        run(` ${text.sentence()}`),
      ),
    );
  },
  comments({ text, blocks, comments }) {
    const id = comments.length;
    comments.push({ id, author: "Bo", date: day, children: [of(text.sentence()), of(text.sentence())] });
    comments.push({ id: id + 1, author: "Ann", date: day, parentId: id, children: [of(text.sentence())] });
    const marks = [new docx.CommentRangeStart(id), run(text.sentence()), new docx.CommentRangeEnd(id)];
    const reference = (each: number) => new docx.TextRun({ children: [new docx.CommentReference(each)] });
    blocks.push(paragraph(...marks, reference(id), reference(id + 1), run(text.sentence())));
  },
  "headers and footers"(draft) {
    const { text } = draft;
    const header = () => new docx.Header({ children: [of(text.sentence())] });
    const footer = () =>
      new docx.Footer({ children: [paragraph(run(text.title()), new docx.TextRun({ children: [" ", docx.PageNumber.CURRENT] }))] });
    draft.section = {
      ...draft.section,
      properties: { ...draft.section.properties, titlePage: true },
      headers: { default: header(), first: header(), even: header() },
      footers: { default: footer(), first: footer() },
    };
    draft.blocks.push(of(text.paragraph()));
  },
  links({ text, blocks }) {
    const outside = new docx.ExternalHyperlink({ children: [run(text.title())], link: "https://example.com/a?b=(1)" });
    const inside = new docx.InternalHyperlink({ children: [run(text.title())], anchor: "here" });
    blocks.push(paragraph(run(text.sentence()), outside, run(` ${text.mark()} `), inside));
    blocks.push(paragraph(new docx.Bookmark({ id: "here", children: [run(text.sentence())] }), new docx.PageReference("here")));
  },
  "tabs and breaks"({ text, blocks }) {
    blocks.push(
      paragraph(new docx.TextRun({ children: [text.mark(), new docx.Tab(), text.mark(), new docx.CarriageReturn(), text.mark()] })),
      paragraph(run(text.mark()), new docx.TextRun({ text: text.mark(), break: 2 }), new docx.PageBreak(), run(text.sentence())),
      paragraph(new docx.TextRun({ children: [text.mark(), new docx.NoBreakHyphen(), text.mark(), new docx.SoftHyphen(), "end"] })),
      paragraph(
        run(text.mark()),
        new docx.TextRun({
          children: [new docx.PositionalTab({ alignment: "right", relativeTo: "margin", leader: "dot" }), text.mark()],
        }),
      ),
    );
  },
  "text boxes"({ text, blocks }) {
    const style = { width: "300pt", height: "80pt" } as const;
    blocks.push(new docx.Textbox({ style, children: [of(text.sentence()), of(text.sentence())] }), of(text.sentence()));
    const shape = { children: [of(text.sentence())], transformation: { width: 200, height: 80 } };
    blocks.push(paragraph(run(text.sentence()), new docx.WpsShapeRun({ type: "wps", ...shape })));
  },
  "check boxes"({ text, blocks }) {
    for (const checked of [true, false]) blocks.push(paragraph(new docx.CheckBox({ checked, alias: "Box" }), run(` ${text.sentence()}`)));
  },
  columns(draft) {
    draft.section = { ...draft.section, properties: { ...draft.section.properties, column: { count: 2, space: 400 } } };
    draft.blocks.push(of(draft.text.paragraph()), paragraph(new docx.ColumnBreak(), run(draft.text.paragraph())));
  },
  "other scripts"({ text, blocks }) {
    for (let left = 6; left > 0; left -= 1) blocks.push(of(`${text.foreign()} ${text.mark()}`));
    blocks.push(
      new docx.Paragraph({
        bidirectional: true,
        children: [run("\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", { rightToLeft: true })],
      }),
    );
  },
  symbols({ text, blocks }) {
    blocks.push(
      paragraph(run(text.mark()), new docx.SymbolRun("F0FC"), run(text.mark()), new docx.SymbolRun({ char: "F061", symbolfont: "Symbol" })),
    );
  },
  formulas({ text, blocks }) {
    const math = (words: string) => new docx.MathRun(words);
    const fraction = new docx.MathFraction({ numerator: [math(text.mark())], denominator: [math(text.mark())] });
    const root = new docx.MathRadical({ children: [math(text.mark())], degree: [math("3")] });
    const sum = new docx.MathSum({ children: [math(text.mark())], subScript: [math("i")], superScript: [math("n")] });
    const power = new docx.MathSuperScript({ children: [math(text.mark())], superScript: [math("2")] });
    const call = new docx.MathFunction({ name: [math("sin")], children: [math(text.mark())] });
    const brackets = new docx.MathRoundBrackets({ children: [math(text.mark()), math("+"), math("1")] });
    blocks.push(
      paragraph(run(text.sentence()), new docx.Math({ children: [fraction, root, sum, power, call, brackets] }), run(text.mark())),
    );
  },
  looks({ text, blocks }) {
    const looks = [{ bold: true }, { italics: true }, { strike: true }, { smallCaps: true }, { allCaps: true }, { underline: {} }];
    blocks.push(
      paragraph(...looks.flatMap((look) => [run(text.title(), look), run(" "), run("un", look), run("able "), run(text.mark(), look)])),
    );
    blocks.push(
      paragraph(
        run("10"),
        run("6", { superScript: true }),
        run(" of CO"),
        run("2", { subScript: true }),
        run(text.mark(), { vanish: true }),
      ),
    );
  },
  fields({ text, blocks }) {
    const merge = new docx.SimpleMailMergeField("Name");
    blocks.push(
      paragraph(run(text.sentence()), new docx.SimpleField("AUTHOR", text.title()), merge, new docx.SequentialIdentifier("Figure")),
    );
    blocks.push(new docx.TableOfContents("Contents", { hyperlink: true, headingStyleRange: "1-3" }), of(text.sentence()));
  },
  pictures({ text, blocks }) {
    const picture = (altText: object) => {
      const type = "png" as const;
      return new docx.ImageRun({ type, data: Buffer.from(dot, "base64"), transformation: { width: 20, height: 20 }, ...altText });
    };
    blocks.push(paragraph(picture({ altText: { name: "a", title: "a", description: text.title() } }), run(text.sentence()), picture({})));
  },
  charts({ text, blocks }) {
    const series = [1, 2].map(() => ({ name: text.mark(), values: [text.int(100, 999), text.int(1_000, 9_999)] }));
    const size = { transformation: { width: 400, height: 300 } };
    blocks.push(
      paragraph(new ChartRun({ type: "column", title: text.title(), categories: [text.mark(), text.mark()], series, ...size })),
      of(text.sentence()),
    );
  },
  "embedded files"({ text, blocks }) {
    const preview = { type: "png", data: Buffer.from(dot, "base64") } as const;
    const transformation = { width: 40, height: 40 };
    blocks.push(of(text.sentence()));
    blocks.push(paragraph(new EmbeddedFileRun({ data: Buffer.from(text.paragraph()), fileName: "prices.txt", preview, transformation })));
  },
  "water marks"(draft) {
    const { text } = draft;
    const mark = paragraph(new TextWatermark({ text: text.title() }));
    draft.section = { ...draft.section, headers: { default: new docx.Header({ children: [mark, of(text.sentence())] }) } };
    draft.blocks.push(of(text.paragraph()));
  },
};

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const levels = (["DECIMAL", "LOWER_LETTER", "UPPER_ROMAN"] as const).map((format, level) => ({
  ...{ level, format: docx.LevelFormat[format], text: level === 0 ? "%1." : `%${level}.%${level + 1}` },
  ...{ alignment: docx.AlignmentType.START },
}));

export const wordFeatures = Object.keys(features);

/** A Word document with these things, one after the other. */
export async function makeWord(text: Text, things: readonly string[]): Promise<Uint8Array> {
  const draft: Draft = { text, blocks: [of(text.paragraph())], footnotes: {}, endnotes: {}, comments: [], section: {} };
  for (const thing of things) features[thing]?.(draft);
  draft.blocks.push(of(text.paragraph()));
  const { footnotes, endnotes, comments, section, blocks } = draft;
  const options: Options = {
    ...{ title: text.title(), footnotes, endnotes, comments: { children: comments } },
    numbering: { config: [{ reference: "numbers", levels }] },
    evenAndOddHeaderAndFooters: true,
    sections: [{ ...section, children: blocks as never }],
  };
  return docx.Packer.toBuffer(new docx.Document(options));
}
