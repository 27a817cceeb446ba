import type { ParsedDocument, ParseLimits } from "@toolwright/engine/ports";
import mammoth from "mammoth";
import { readWhole } from "../../net/readable-page.ts";
import { UnreadableError } from "./document.ts";
import type { Gathering } from "./gather.ts";
import { readSections, titleOf } from "./read-markdown.ts";
import { packStored, unpack, type ZipEntry } from "./zip.ts";

interface DocxOptions {
  readonly limits: Pick<ParseLimits, "unpackedBytes">;
  readonly into: Gathering;
}

/** Texts of the document, and pictures where they are wanted. Fonts, macros and the like stay packed. */
const text = /\.(?:xml|rels)$/i;
const pictures = /^word\/media\//i;

/** The text of a Word document as Markdown, in sections. Throws `bomb` and `damaged`. */
export async function readDocx(entries: readonly ZipEntry[], { limits, into }: DocxOptions): Promise<Pick<ParsedDocument, "title">> {
  const wanted = entries.filter(({ name }) => text.test(name) || (into.wantsImages && pictures.test(name)));
  const safe = packStored(unpack(wanted, limits.unpackedBytes));
  const { value: html } = await convert(Buffer.from(safe.buffer), into);
  const parts = readSections(readWhole(html).markdown, { lines: false });
  for (const part of parts) into.add(part);
  const title = titleOf(parts);
  return title === undefined ? {} : { title };
}

async function convert(buffer: Buffer, into: Gathering) {
  try {
    const converted = await mammoth.convertToHtml(
      { buffer },
      { styleMap: ["p[style-name='Title'] => h1:fresh"], convertImage: mammoth.images.imgElement((image) => keepImage(image, into)) },
    );
    if (converted.messages.some(({ message }) => /\/math\}/.test(message)))
      into.note({ what: "Formulas are left out", advice: "Save the document as PDF to see them." });
    return converted;
  } catch (error) {
    if (error instanceof UnreadableError) throw error;
    throw new UnreadableError("damaged", "The Word document is damaged: it does not open. Save it again in Word or LibreOffice.");
  }
}

type DocxImage = Parameters<Parameters<typeof mammoth.images.imgElement>[0]>[0];

/** The place of a picture in the text is its alternative text alone. */
async function keepImage(image: DocxImage, into: Gathering) {
  if (into.wantsImages && /^image\/(?:png|jpeg|gif|webp)$/.test(image.contentType)) {
    const bytes = await image.readAsArrayBuffer();
    into.show({ mediaType: image.contentType, bytes: new Uint8Array(bytes) });
  }
  return { src: "" };
}
