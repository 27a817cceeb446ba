import { deflateRawSync } from "node:zlib";
import { packStored } from "../src/documents/parse/zip.ts";

type DocxBlock =
  | string
  | { readonly heading: string; readonly level: number }
  | { readonly rows: readonly (readonly string[])[] }
  | { readonly picture: Uint8Array; readonly alt: string }
  | { readonly xml: string };

const types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const rels = (inner: string) =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${inner}</Relationships>`;
const names = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${office}" xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"`;

/** The files of a Word document (ECMA-376). */
export function docxFiles(blocks: readonly DocxBlock[]): Map<string, Uint8Array> {
  const pictures = blocks.flatMap((block) => (typeof block === "object" && "picture" in block ? [block.picture] : []));
  const body = blocks.map((block) =>
    typeof block === "object" && "picture" in block ? drawing(block.alt, pictures.indexOf(block.picture) + 1) : writeBlock(block),
  );
  const levels = [1, 2, 3].map(
    (level) => `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
  );
  const own = pictures.map(
    (_, index) => `<Relationship Id="rIm${index + 1}" Type="${office}/image" Target="media/image${index + 1}.png"/>`,
  );
  const xml = (text: string) => new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8" standalone="yes"?>${text}`);
  return new Map([
    ["[Content_Types].xml", xml(types)],
    ["_rels/.rels", xml(rels(`<Relationship Id="rId1" Type="${office}/officeDocument" Target="word/document.xml"/>`))],
    ["word/_rels/document.xml.rels", xml(rels(`<Relationship Id="rId1" Type="${office}/styles" Target="styles.xml"/>${own.join("")}`))],
    ["word/styles.xml", xml(`<w:styles ${names}>${levels.join("")}</w:styles>`)],
    ["word/document.xml", xml(`<w:document ${names}><w:body>${body.join("")}</w:body></w:document>`)],
    ...pictures.map((bytes, index): [string, Uint8Array] => [`word/media/image${index + 1}.png`, bytes]),
  ]);
}

/** A Word document. */
export const makeDocx = (blocks: readonly DocxBlock[]) => packStored(docxFiles(blocks));

function writeBlock(block: Exclude<DocxBlock, { readonly picture: Uint8Array }>): string {
  if (typeof block === "string") return paragraph(block);
  if ("xml" in block) return block.xml;
  if ("heading" in block) return paragraph(block.heading, `<w:pPr><w:pStyle w:val="Heading${block.level}"/></w:pPr>`);
  const rows = block.rows.map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join("")}</w:tr>`);
  return `<w:tbl>${rows.join("")}</w:tbl>`;
}

const paragraph = (text: string, style = "") =>
  `<w:p>${style}<w:r><w:t xml:space="preserve">${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</w:t></w:r></w:p>`;

const drawing = (alt: string, image: number) =>
  `<w:p><w:r><w:drawing><wp:inline><wp:docPr id="${image}" name="p" descr="${alt}"/><a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed="rIm${image}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;

interface LyingFile {
  /** Bytes that are unpacked. */
  readonly bytes: Uint8Array;
  /** Bytes that the directory tells of. */
  readonly told: number;
}

/** A zip of one more deflated file beside others, whose directory may lie. */
export function addDeflated(files: ReadonlyMap<string, Uint8Array>, name: string, { bytes, told }: LyingFile): Uint8Array<ArrayBuffer> {
  const packed = deflateRawSync(bytes, { level: 9 });
  const zip = Buffer.from(packStored(new Map([...files, [name, packed]])));
  // The last entry of the directory, and its file: method 8, and the size that is told.
  const entry = zip.lastIndexOf(Buffer.from("PK\x01\x02", "latin1"));
  const local = zip.readUInt32LE(entry + 42);
  zip.writeUInt16LE(8, entry + 10);
  zip.writeUInt32LE(told, entry + 24);
  zip.writeUInt16LE(8, local + 8);
  zip.writeUInt32LE(told, local + 22);
  return Uint8Array.from(zip);
}
