import type { ParsedDocument, ParseLimits } from "@toolwright/engine/ports";
import { getDocumentProxy } from "unpdf";
import { type ReadRequest, UnreadableError } from "./document.ts";
import type { Gathering } from "./gather.ts";
import { type TextRun, writePage } from "./page-text.ts";
import { writtenOnPage } from "./pdf-forms.ts";
import { imagesOfPage, type PDFPage, showsSomething } from "./pdf-images.ts";
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
    const text = await textOf(page);
    into.add({ page: number, headings: [], text });
    if (text === "" && (await showsSomething(page))) withoutText.push(number);
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
  const title = await titleOf(pdf);
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
      ...{ BinaryDataFactory: NoData, cMapPacked: false },
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

async function textOf(page: PDFPage): Promise<string> {
  const { items } = await page.getTextContent();
  const runs = items.flatMap((item): TextRun[] => {
    if (!("str" in item)) return [];
    const [a = 1, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform as number[];
    const length = Math.hypot(a, b) || 1;
    const [along, up] = [a / length, b / length];
    // Text that runs in another direction is placed as if it were upright.
    const place = { x: x * along + y * up, y: y * along - x * up };
    return [{ ...place, text: readableOf(item.str), width: item.width, height: item.height || Math.hypot(c, d), endsLine: item.hasEOL }];
  });
  return [writePage(runs), ...(await writtenOnPage(page))].filter((text) => text !== "").join("\n\n");
}

/** Fonts without a table of characters give their codes. */
const readableOf = (text: string) => text.replace(/[\p{Cc}\p{Co}\ufffd]/gu, "");

/** Answers with how many pictures could not be shown. */
async function showImages(page: PDFPage, number: number, into: Gathering): Promise<number> {
  const { pictures, unread } = await imagesOfPage(page);
  for (const bytes of pictures) into.show({ page: number, mediaType: "image/png", bytes });
  return unread;
}

async function titleOf(pdf: PDFDocument): Promise<string | undefined> {
  const metadata = await pdf.getMetadata().catch(() => undefined);
  const title = metadata && "Title" in metadata.info ? metadata.info.Title : undefined;
  return typeof title === "string" && title.trim() !== "" ? title.trim() : undefined;
}
