import { getResolvedPDFJS } from "unpdf";
import type { DocumentNote } from "./document-note.ts";
import type { PDFPage } from "./pdf-images.ts";

/** What PDF.js knows of an annotation (ISO 32000-1, 12.5): a field of a form, or what somebody put on the page. */
interface Annotation {
  readonly id?: string;
  readonly subtype?: string;
  readonly hidden?: boolean;
  readonly annotationFlags?: number;
  readonly hasAppearance?: boolean;
  readonly fieldName?: string;
  readonly fieldType?: string;
  readonly alternativeText?: string;
  readonly fieldValue?: unknown;
  readonly options?: readonly { readonly exportValue?: unknown; readonly displayValue?: unknown }[];
  /** It shows all its options at once. */
  readonly combo?: boolean;
  readonly radioButton?: boolean;
  readonly checkBox?: boolean;
  readonly pushButton?: boolean;
  readonly buttonValue?: unknown;
  readonly exportValue?: unknown;
  readonly password?: boolean;
  readonly contentsObj?: { readonly str?: string };
  readonly titleObj?: { readonly str?: string };
  readonly overlaidText?: string;
  readonly file?: { readonly filename?: string };
}

/** Text below the text of a page, and what is lost of what stands on it. */
interface Written {
  readonly texts: readonly string[];
  readonly notes: readonly DocumentNote[];
}

/** The second and the sixth bit: it is shown neither on paper nor on a screen (12.5.3). */
const notShown = 0b100010;
/** What says nothing by itself: its words are those of the page, or of the comment that it opens. */
const silent = new Set(["Link", "Popup"]);

/** The values of the fields of a form, a line for each; then what is typed or stamped on the page; then comments. */
export async function writtenOnPage(page: PDFPage): Promise<Written> {
  const all = (await page.getAnnotations()) as readonly Annotation[];
  const shown = all.filter(
    ({ subtype = "", hidden, annotationFlags = 0, password }) =>
      !hidden && !password && (annotationFlags & notShown) === 0 && !silent.has(subtype),
  );
  const needsDrawing = shown.some((each) => each.hasAppearance && wordsOf(each) === undefined);
  const drawn = needsDrawing ? await readDrawn(page) : new Map<string, string>();
  const lines: { readonly fields: string[]; readonly others: string[] } = { fields: [], others: [] };
  for (const each of shown) {
    const words = (wordsOf(each) ?? drawn.get(each.id ?? "") ?? "").trim();
    const line = words === "" ? "" : describe(each, words);
    if (line !== "") lines[each.subtype === "Widget" ? "fields" : "others"].push(line);
  }
  const texts = [lines.fields.join("\n"), ...lines.others];
  return { texts, notes: [...notesOn(shown, drawn)] };
}

/** Undefined where only the drawing of it can tell: for a signature, a button, a stamp, a field without a value. */
function wordsOf(each: Annotation): string | undefined {
  if (each.subtype !== "Widget") return each.contentsObj?.str?.trim() || (struck.has(each.subtype ?? "") ? "" : undefined);
  if (each.radioButton || each.checkBox) return tickOf(each);
  if (each.pushButton || each.fieldType === "Sig") return undefined;
  const values = (Array.isArray(each.fieldValue) ? each.fieldValue : [each.fieldValue])
    .filter((value) => typeof value === "string" && value !== "")
    .map((value) => displayOf(value as string, each));
  const options = each.combo === false ? optionsOf(each) : [];
  if (options.some((option) => !values.includes(option)))
    return options.map((option) => (values.includes(option) ? `[x] ${option}` : option)).join(", ");
  return values.length === 0 ? undefined : values.join(", ");
}

/** The words of all options of a list. */
const optionsOf = ({ options = [] }: Annotation) =>
  options.flatMap(({ displayValue: shown }) => (typeof shown === "string" && shown !== "" ? [shown] : []));

/** Marks over the words of a page. */
const struck = new Set(["Highlight", "Underline", "Squiggly", "StrikeOut"]);

function tickOf({ fieldValue, radioButton, buttonValue, exportValue }: Annotation): string {
  const own = radioButton ? buttonValue : exportValue;
  return typeof fieldValue === "string" && fieldValue === own ? fieldValue : "";
}

/** A choice is kept under one text and shown under another (12.7.4.4). */
function displayOf(value: string, { options = [] }: Annotation): string {
  const shown = options.find(({ exportValue }) => exportValue === value)?.displayValue;
  return typeof shown === "string" && shown !== "" ? shown : value;
}

function describe(each: Annotation, words: string): string {
  if (each.subtype === "Widget") return `${each.alternativeText || each.fieldName || "field"}: ${words}`;
  if (each.subtype === "FreeText" || each.subtype === "Stamp") return words;
  const about = each.overlaidText?.replace(/\s+/g, " ").trim();
  return `Comment by ${each.titleObj?.str?.trim() || "somebody"}${about ? ` on "${about}"` : ""}: ${words}`;
}

function* notesOn(shown: readonly Annotation[], drawn: ReadonlyMap<string, string>): Generator<DocumentNote> {
  const isDrawn = ({ id = "" }: Annotation) => (drawn.get(id) ?? "").trim() !== "";
  const signatures = shown.filter(({ fieldType }) => fieldType === "Sig");
  if (signatures.length > 0)
    yield {
      what: "Fields for signatures are read as the page draws them, and no signature is verified",
      ...{ count: signatures.length, names: signatures.map(({ fieldName = "" }) => fieldName) },
      advice: "Verify them in a PDF reader.",
    };
  const buttons = shown.filter((each) => each.pushButton && !isDrawn(each));
  if (buttons.length > 0)
    yield {
      what: "Buttons whose words are not drawn in the file are left out",
      ...{ count: buttons.length, names: buttons.map(({ fieldName = "" }) => fieldName) },
      advice: "Open the pages in a PDF reader to see them.",
    };
  const deleted = shown.filter(({ subtype, contentsObj }) => subtype === "StrikeOut" && !contentsObj?.str?.trim());
  if (deleted.length > 0)
    yield {
      what: "Words that somebody struck out on the page are read as if they were not",
      ...{ count: deleted.length, names: deleted.map(({ overlaidText = "" }) => overlaidText).filter((text) => text.trim() !== "") },
      advice: "Open the pages in a PDF reader to see which.",
    };
  const files = shown.filter(({ subtype }) => subtype === "FileAttachment");
  if (files.length > 0) yield { ...embeddedFiles, count: files.length, names: files.map(({ file }) => file?.filename ?? "") };
}

/** The note on files within a PDF, without their names. */
export const embeddedFiles = {
  what: "Files that the PDF embeds are left out",
  advice: "Save them from a PDF reader and read them one by one.",
} as const satisfies DocumentNote;

/** A glyph, or how far the next one moves, in thousandths of an em. */
type Shown = { readonly unicode?: string } | number;
/** Farther moves are blanks. */
const blank = -200;

/** Words that the drawings of annotations show, by their ids. */
async function readDrawn(page: PDFPage): Promise<ReadonlyMap<string, string>> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const moves = new Set<number>([OPS.beginText, OPS.moveText, OPS.setLeadingMoveText, OPS.nextLine, OPS.setTextMatrix]);
  const drawn = new Map<string, string>();
  let open: { readonly id: string; readonly pieces: string[] } | undefined;
  for (const [index, op] of fnArray.entries()) {
    const args = argsArray[index] as readonly unknown[] | null;
    if (op === OPS.beginAnnotation) open = { id: String(args?.[0]), pieces: [] };
    else if (op === OPS.endAnnotation && open) {
      drawn.set(open.id, open.pieces.join("").replace(/\s+/g, " ").trim());
      open = undefined;
    } else if (open && moves.has(op)) open.pieces.push(" ");
    else if (open && op === OPS.showText)
      for (const each of (args?.[0] ?? []) as readonly Shown[])
        open.pieces.push(typeof each !== "number" ? (each.unicode ?? "") : each < blank ? " " : "");
  }
  return drawn;
}
