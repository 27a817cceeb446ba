import type { ParsedDocument, ParseLimits } from "@toolwright/engine/ports";
import { UnreadableError } from "./document.ts";
import type { Block } from "./docx/docx-document.ts";
import { DocxParts } from "./docx/docx-parts.ts";
import { DocxReader } from "./docx/docx-reader.ts";
import type { Gathering } from "./gather.ts";
import { readSections, titleOf } from "./read-markdown.ts";
import { unpack, type ZipEntry } from "./zip.ts";

interface DocxOptions {
  readonly limits: Pick<ParseLimits, "unpackedBytes">;
  readonly into: Gathering;
}

/** Texts of the document, and pictures where they are wanted. Fonts, macros and the like stay packed. */
const text = /\.(?:xml|rels|html?|xhtml|txt)$/i;
const pictures = /^word\/media\//i;
/** Files of other programs. */
const embedded = /^word\/embeddings\/./i;

/** The text of a Word document as Markdown, in sections. Throws `bomb`, `damaged` and `too_large`. */
export function readDocx(entries: readonly ZipEntry[], { limits, into }: DocxOptions): Pick<ParsedDocument, "title"> {
  const wanted = entries.filter(({ name }) => text.test(name) || (into.wantsImages && pictures.test(name)));
  const files = entries.flatMap(({ name }) => (embedded.test(name) ? [name] : []));
  if (files.length > 0)
    into.note({
      what: "Files that the document embeds are left out",
      ...{ count: files.length, names: files, advice: "Open the document in Word and save them as files of their own." },
    });
  const { text: body, around } = read(new DocxParts(unpack(wanted, limits.unpackedBytes)), into);
  const parts = readSections(joinBlocks(body), { lines: false });
  for (const part of parts) into.add(part);
  if (around.length > 0) into.add({ headings: [], text: `${body.length > 0 ? "\n" : ""}${joinBlocks(around)}` });
  const title = titleOf(parts);
  return title === undefined ? {} : { title };
}

function read(parts: DocxParts, into: Gathering) {
  try {
    return new DocxReader(parts, into).read();
  } catch (error) {
    if (error instanceof UnreadableError) throw error;
    throw new UnreadableError("damaged", "The Word document is damaged: it does not open. Save it again in Word or LibreOffice.");
  }
}

/** Paragraphs of a list follow one another, others stand apart. */
function joinBlocks(blocks: readonly Block[]): string {
  const pieces: string[] = [];
  for (const [index, { text: words, heading, isItem }] of blocks.entries()) {
    if (index > 0) pieces.push(isItem && blocks[index - 1]?.isItem ? "\n" : "\n\n");
    pieces.push(heading === undefined ? words : `${"#".repeat(heading)} ${words}`);
  }
  return pieces.join("");
}
