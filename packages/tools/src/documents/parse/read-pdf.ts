import type { ParsedDocument, ParseLimits } from "@toolwright/engine/ports";
import { getDocumentProxy } from "unpdf";
import { type ReadRequest, UnreadableError } from "./document.ts";
import type { Gathering } from "./gather.ts";
import { type TextRun, writePage } from "./page-text.ts";
import { embeddedFiles, writtenOnPage } from "./pdf-annotations.ts";
import { readGlyphs } from "./pdf-glyphs.ts";
import { imagesOfPage, lookAt, type PDFPage } from "./pdf-images.ts";
import { readSelection } from "./selection.ts";

type PDFDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Pixels of one picture; larger ones are passed over. */
const mostPixels = 50_000_000;

interface PDFOptions extends Pick<ReadRequest, "pages"> {
  readonly limits: Pick<ParseLimits, "pages">;
  readonly into: Gathering;
}

/** The text of the pages. Throws `encrypted`, `damaged`, `too_many_pages` and `no_such_part`. */
export async function readPdf(
  bytes: Uint8Array,
  { pages: selection, limits, into }: PDFOptions,
): Promise<Pick<ParsedDocument, "title" | "pages" | "pagesWithoutText" | "rest">> {
  const missing = new Set<string>();
  const pdf = await open(bytes, missing);
  const count = pdf.numPages;
  const wanted = selection === undefined ? numbersTo(count, limits) : readSelection(selection, { count, unit: "page" });
  if (wanted.length > limits.pages) throw tooManyPages(wanted.length, limits);
  const withoutText: number[] = [];
  const withHidden: number[] = [];
  let hidden = 0;
  let done = 0;
  for (const number of wanted) {
    if (into.hasEnough) break;
    done += 1;
    const page = await pdf.getPage(number);
    const own = await textOf(page, number, into);
    const written = await writtenOnPage(page);
    for (const note of written.notes) into.note({ ...note, pages: [number] });
    into.add({ page: number, headings: [], text: [own, ...written.texts].filter((text) => text !== "").join("\n\n") });
    if (own === "" && (await isScan(page, written.texts))) withoutText.push(number);
    const unshown = into.wantsImages ? await showImages(page, number, into) : 0;
    if (unshown > 0) withHidden.push(number);
    hidden += unshown;
    page.cleanup();
  }
  if (withHidden.length > 0)
    into.note({
      what: "Pictures in JPEG 2000, JBIG2 or fax form cannot be shown and are left out",
      ...{ count: hidden, pages: withHidden },
      advice: "Open these pages in a PDF reader, or print them to a new PDF.",
    });
  if (missing.size > 0)
    into.note({
      what: "Words are missing: fonts of the PDF need tables of characters that are not here",
      names: [...missing].sort(),
      advice: "Export the PDF again with its fonts embedded, or recognise its text (OCR).",
    });
  const { title } = await lookAround(pdf, into);
  return { pages: count, pagesWithoutText: withoutText, rest: wanted.slice(done), ...(title !== undefined && { title }) };
}

/** `missing` takes the names of tables of characters that fonts refer to. PDF.js takes such a font for empty. */
async function open(bytes: Uint8Array, missing: Set<string>): Promise<PDFDocument> {
  class NoData {
    async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<never> {
      if (kind === "cMapUrl") missing.add(filename);
      throw new Error(`${filename} is not here.`);
    }
  }
  try {
    return await getDocumentProxy(bytes, {
      ...{ verbosity: 0, maxImageSize: mostPixels, enableXfa: false, disableFontFace: true, useSystemFonts: false },
      ...{ isOffscreenCanvasSupported: false, isImageDecoderSupported: false },
      ...{ BinaryDataFactory: NoData, cMapPacked: false, fontExtraProperties: true },
    });
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException")
      throw new UnreadableError("encrypted", "The PDF is encrypted and opens with a password only. Save it without one first.");
    throw new UnreadableError("damaged", "The PDF is damaged: it does not open. Download or export it again.");
  }
}

function numbersTo(count: number, limits: PDFOptions["limits"]): readonly number[] {
  if (count > limits.pages) throw tooManyPages(count, limits);
  return Array.from({ length: count }, (_, index) => index + 1);
}

const tooManyPages = (count: number, { pages }: PDFOptions["limits"]) =>
  new UnreadableError(
    "too_many_pages",
    `The document has ${count} pages, and at most ${pages} are read at once. Name pages, such as 1-${pages}.`,
  );

async function textOf(page: PDFPage, number: number, into: Gathering): Promise<string> {
  const marked = (await page.getTextContent({ includeMarkedContent: true })).items;
  const items = marked.flatMap((item) => ("str" in item ? [item] : []));
  const { texts, lost } = await readGlyphs(
    page,
    items.map(({ str }) => str),
  );
  if (lost > 0)
    into.note({
      what: "Characters whose font does not say what they mean are shown as \ufffd",
      ...{ count: lost, pages: [number] },
      advice: "Open these pages in a PDF reader, or recognise their text (OCR).",
    });
  const replaced = countReplaced(marked);
  if (replaced > 0)
    into.note({
      what: "Words of which the PDF keeps a text apart from their glyphs are read by their glyphs",
      ...{ count: replaced, pages: [number] },
      advice: "Open these pages in a PDF reader and copy them from there, or recognise their text (OCR).",
    });
  const runs = items.map((item, index): TextRun => {
    const [a = 1, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform as number[];
    const length = Math.hypot(a, b) || 1;
    const [along, up] = [a / length, b / length];
    // Text that runs in another direction is placed as if it were upright.
    const place = { x: x * along + y * up, y: y * along - x * up };
    const text = (texts[index] ?? "").replace(/[\t\n\r]/g, " ");
    return { ...place, text, width: item.width, height: item.height || Math.hypot(c, d), endsLine: item.hasEOL };
  });
  const text = writePage(runs);
  return /[^\s\ufffd]/.test(text) ? text : "";
}

type Marked = Awaited<ReturnType<PDFPage["getTextContent"]>>["items"];

/** Spans that are no part of the structure: they say what their glyphs mean (ISO 32000-1, 14.9.4), which PDF.js does not tell. Hyphens and blanks lose nothing. */
function countReplaced(items: Marked): number {
  let count = 0;
  let open: { text: string; depth: number } | undefined;
  for (const item of items) {
    if ("str" in item) {
      if (open) open.text += item.str;
    } else if (item.type === "endMarkedContent") {
      if (open?.depth === 0 && /[^\s\p{Pd}\u00ad]/u.test(open.text)) count += 1;
      open = open && open.depth > 0 ? { ...open, depth: open.depth - 1 } : undefined;
    } else if (open) open.depth += 1;
    else if ("tag" in item && item.tag === "Span" && item.id === null && item.type === "beginMarkedContentProps")
      open = { text: "", depth: 0 };
  }
  return count;
}

/** A page without text of its own is a scan; one with words in fields or comments is one where a picture lies below them. */
async function isScan(page: PDFPage, written: readonly string[]): Promise<boolean> {
  const { something, pictures, undecoded } = await lookAt(page);
  return written.every((text) => text === "") ? something : pictures + undecoded > 0;
}

/** Answers with how many pictures could not be shown. */
async function showImages(page: PDFPage, number: number, into: Gathering): Promise<number> {
  const { pictures, unread } = await imagesOfPage(page);
  for (const bytes of pictures) into.show({ page: number, mediaType: "image/png", bytes });
  return unread;
}

interface Info {
  readonly Title?: unknown;
  readonly IsXFAPresent?: unknown;
}

/** The title, and notes on what lies in no page. */
async function lookAround(pdf: PDFDocument, into: Gathering): Promise<{ readonly title: string | undefined }> {
  const metadata = await pdf.getMetadata().catch(() => undefined);
  const { Title: title, IsXFAPresent: isXfa }: Info = metadata?.info ?? {};
  if (isXfa === true)
    into.note({
      what: "The PDF is an XFA form, whose fields and values are not in its pages",
      advice: "Open it in Adobe Acrobat Reader and print it to a new PDF.",
    });
  const files = await pdf.getAttachments().catch(() => null);
  if (files && files.size > 0) into.note({ ...embeddedFiles, count: files.size, names: [...files.keys()] });
  return { title: typeof title === "string" && title.trim() !== "" ? title.trim() : undefined };
}
