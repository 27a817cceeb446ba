import { type getDocumentProxy, getResolvedPDFJS } from "unpdf";
import { type Pixels, shrink, writePng } from "./png.ts";

export type PDFPage = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;
type Operators = Awaited<ReturnType<PDFPage["getOperatorList"]>>;

/** Pixels of a side: what models look at. */
const longestSide = 1_600;
/** Smaller ones are lines, bullets and letters. */
const shortestSide = 32;

/** A picture as PDF.js hands it over: `kind` says how its bytes are packed. */
interface RawImage {
  readonly width: number;
  readonly height: number;
  readonly kind?: number;
  readonly data?: Uint8Array | Uint8ClampedArray | string;
}

/** What a page shows beside words that can be read. */
export interface Shown {
  /** A picture, a drawing, or words in a font that cannot be read. */
  readonly something: boolean;
  readonly pictures: number;
  /** Pictures that PDF.js passes over, since it has no decoder for them: masks in fax, JBIG2 and JPEG 2000 form. */
  readonly undecoded: number;
}

export async function lookAt(page: PDFPage): Promise<Shown> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const pictureOps = new Set<number>(imageOps(OPS));
  const drawing = new Set<number>([...pictureOps, OPS.constructPath, OPS.shadingFill, OPS.showText]);
  const pictures = fnArray.filter((each) => pictureOps.has(each)).length;
  const undecoded = countUndecoded({ fnArray, argsArray }, OPS, drawing);
  return { something: undecoded > 0 || fnArray.some((each) => drawing.has(each)), pictures, undecoded };
}

/** Units to which nothing but a picture is stretched. */
const shortestStretch = 16;

/** A picture fills the unit square, so the page stretches that first. Where nothing is drawn there, the picture was passed over. */
function countUndecoded(
  { fnArray, argsArray }: Pick<Operators, "fnArray" | "argsArray">,
  ops: Readonly<Record<"save" | "restore" | "transform", number>>,
  drawing: ReadonlySet<number>,
): number {
  const waiting: boolean[] = [false];
  let undecoded = 0;
  const close = () => {
    if (waiting.pop()) undecoded += 1;
  };
  for (const [index, op] of fnArray.entries()) {
    if (op === ops.save) waiting.push(false);
    else if (op === ops.restore) close();
    else if (op === ops.transform) {
      const [a, b, c, d] = Array.from((argsArray[index] ?? []) as ArrayLike<number>, Math.abs);
      if (Math.max(a ?? 0, b ?? 0) >= shortestStretch && Math.max(c ?? 0, d ?? 0) >= shortestStretch) waiting[waiting.length - 1] = true;
    } else if (drawing.has(op)) waiting[waiting.length - 1] = false;
  }
  while (waiting.length > 0) close();
  return undecoded;
}

/** Pictures of a page as PNG, those that PDF.js can decode. `unread` counts the others. */
export async function imagesOfPage(
  page: PDFPage,
): Promise<{ readonly pictures: readonly Uint8Array<ArrayBuffer>[]; readonly unread: number }> {
  const { OPS } = await getResolvedPDFJS();
  const operators = await page.getOperatorList();
  const wanted = new Set<number>(imageOps(OPS));
  const pictures: Uint8Array<ArrayBuffer>[] = [];
  let unread = 0;
  for (const [index, op] of operators.fnArray.entries()) {
    if (!wanted.has(op)) continue;
    const raw = await imageAt(index, operators, page);
    const pixels = raw && pixelsOf(raw);
    if (!pixels) unread += 1;
    else if (Math.min(pixels.width, pixels.height) >= shortestSide) pictures.push(writePng(shrink(pixels, longestSide)));
  }
  const { undecoded } = await lookAt(page);
  return { pictures, unread: unread + undecoded };
}

const imageOps = (ops: Readonly<Record<"paintImageXObject" | "paintInlineImageXObject" | "paintImageMaskXObject", number>>) => [
  ops.paintImageXObject,
  ops.paintInlineImageXObject,
  ops.paintImageMaskXObject,
];

/** The picture of an operator: in its arguments, or under the name that they give. */
async function imageAt(index: number, { argsArray }: Operators, page: PDFPage): Promise<RawImage | undefined> {
  const [given] = argsArray[index] as [string | RawImage | undefined];
  const named = typeof given === "object" ? given.data : given;
  if (typeof named !== "string") return typeof given === "object" ? given : undefined;
  const objects = named.startsWith("g_") ? page.commonObjs : page.objs;
  const found = await new Promise<RawImage | null>((resolve) => objects.get(named, resolve));
  return typeof given === "object" ? { ...given, ...found } : (found ?? undefined);
}

/** Kinds of PDF.js: 1 is a bit for each pixel in whole bytes a row, 2 is RGB, 3 RGBA. A mask has none and is of bits. */
function pixelsOf({ width, height, kind = 1, data }: RawImage): Pixels | undefined {
  if (typeof data !== "object" || !(width > 0) || !(height > 0)) return undefined;
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const channels = kind === 2 ? 3 : kind === 3 ? 4 : 1;
  if (kind !== 1) return bytes.length < width * height * channels ? undefined : { width, height, channels, data: bytes };
  const row = Math.ceil(width / 8);
  if (bytes.length < row * height) return undefined;
  const grey = new Uint8Array(width * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) if ((bytes[y * row + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) grey[y * width + x] = 255;
  return { width, height, channels: 1, data: grey };
}
