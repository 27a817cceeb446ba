import { deflateSync } from "node:zlib";

/** Words at a place, in points from the lower left of a page of A4. */
interface PdfText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  /** Quarter turns to the left that its line takes. */
  readonly turns?: number;
}

/** A picture that fills a square in the middle of the page: pixels, or what an encoder made of them. */
interface PdfPicture {
  readonly width: number;
  readonly height: number;
  readonly bits: 1 | 8;
  readonly data: Uint8Array;
  /** Default: Gray. */
  readonly space?: "Gray" | "RGB" | "CMYK";
  /** How `data` is encoded, such as DCTDecode, with its parameters. Default: as pixels. */
  readonly encoding?: string;
  readonly parameters?: string;
}

/** Lines from the top, where an empty one ends a paragraph, or texts at their places. */
interface PdfPage {
  readonly lines?: readonly string[];
  readonly texts?: readonly PdfText[];
  readonly picture?: PdfPicture;
  /** A stream of operators in place of all that. */
  readonly content?: Uint8Array;
  /** Of that stream. */
  readonly filters?: readonly string[];
  /** The dictionary of its font, in place of Helvetica. */
  readonly font?: string;
  /** More entries of its resources. */
  readonly resources?: string;
  /** Degrees to the right that a reader turns it. */
  readonly rotate?: number;
  /** Dictionaries of fields and notes on it. */
  readonly annotations?: readonly string[];
}

interface PdfOptions {
  readonly title?: string;
  /** It opens with a password that nobody has. */
  readonly encrypted?: boolean;
  /** More entries of the catalogue. */
  readonly catalog?: string;
  /** Streams that entries, fonts and annotations refer to: the first is object 4. Each is its entries and its content. */
  readonly streams?: readonly (readonly [entries: string, content: string | Uint8Array])[];
}

/** Writes a PDF (ISO 32000-1) of text in Helvetica. */
export function makePdf(
  pages: readonly PdfPage[],
  { title, encrypted = false, catalog: more = "", streams = [] }: PdfOptions = {},
): Uint8Array<ArrayBuffer> {
  const objects: Buffer[] = [];
  const add = (...pieces: readonly (string | Uint8Array)[]) =>
    objects.push(Buffer.concat(pieces.map((piece) => Buffer.from(piece as string, "latin1"))));
  const catalog = add(`<< /Type /Catalog /Pages 2 0 R ${more} >>`);
  const tree = add("");
  const font = add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  for (const [entries, content] of streams) add(`<< ${entries} /Length ${content.length} >>\nstream\n`, content, "\nendstream");
  const kids = pages.map(
    ({ content, filters = [], lines = [], texts = [], picture, font: own, rotate = 0, annotations = [], resources: more = "" }) => {
      const written = [...texts, ...placeLines(lines)].map(writeText).join("");
      const stream = content ?? Buffer.from(`${written}${picture ? "q 300 0 0 300 150 300 cm /Im1 Do Q\n" : ""}`, "latin1");
      const contents = add(
        `<< /Length ${stream.length} /Filter [${filters.map((name) => `/${name}`).join(" ")}] >>\nstream\n`,
        stream,
        "\nendstream",
      );
      const image = picture && `/XObject << /Im1 ${addPicture(picture, add)} 0 R >>`;
      const resources = `<< /Font << /F1 ${own ?? `${font} 0 R`} >> ${image ?? ""} ${more} >>`;
      const notes = `/Annots [${annotations.map((each) => `<< /Type /Annot ${each} >>`).join(" ")}]`;
      const facts = `/MediaBox [0 0 595 842] /Rotate ${rotate} /Contents ${contents} 0 R /Resources ${resources} ${notes}`;
      return add(`<< /Type /Page /Parent ${tree} 0 R ${facts} >>`);
    },
  );
  objects[tree - 1] = Buffer.from(`<< /Type /Pages /Kids [${kids.map((kid) => `${kid} 0 R`).join(" ")}] /Count ${kids.length} >>`);
  const info = title === undefined ? "" : `/Info ${add(`<< /Title (${quote(title)}) >>`)} 0 R`;
  const lock = encrypted
    ? `/Encrypt ${add(`<< /Filter /Standard /V 1 /R 2 /P -44 /O <${"5a".repeat(32)}> /U <${"a5".repeat(32)}> >>`)} 0 R /ID [<00> <00>]`
    : "";
  return join(objects, `/Root ${catalog} 0 R ${info} ${lock}`);
}

type Add = (...pieces: readonly (string | Uint8Array)[]) => number;

function addPicture({ width, height, bits, data, space = "Gray", encoding, parameters = "" }: PdfPicture, add: Add): number {
  const packed = encoding === undefined ? deflateSync(data) : data;
  const form = `/Filter /${encoding ?? "FlateDecode"} /DecodeParms << ${parameters} >>`;
  const facts = `/Width ${width} /Height ${height} /BitsPerComponent ${bits} /ColorSpace /Device${space} ${form}`;
  return add(`<< /Type /XObject /Subtype /Image ${facts} /Length ${packed.length} >>\nstream\n`, packed, "\nendstream");
}

const placeLines = (lines: readonly string[]) =>
  lines.flatMap((text, index) => (text === "" ? [] : [{ text, x: 72, y: 780 - index * 14 }]));
const turned = ["1 0 0 1", "0 1 -1 0", "-1 0 0 -1", "0 -1 1 0"];
const writeText = ({ text, x, y, size = 10, turns = 0 }: PdfText) =>
  `BT /F1 ${size} Tf ${turned[turns]} ${x} ${y} Tm (${quote(text)}) Tj ET\n`;
const quote = (text: string) => text.replace(/[\\()]/g, "\\$&");

function join(objects: readonly Buffer[], trailer: string): Uint8Array<ArrayBuffer> {
  const pieces = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let at = pieces[0]?.length ?? 0;
  for (const [index, object] of objects.entries()) {
    const piece = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from("\nendobj\n")]);
    offsets.push(at);
    at += piece.length;
    pieces.push(piece);
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  const end = `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer << /Size ${size} ${trailer} >>\nstartxref\n${at}\n%%EOF\n`;
  return Uint8Array.from(Buffer.concat([...pieces, Buffer.from(end)]));
}
