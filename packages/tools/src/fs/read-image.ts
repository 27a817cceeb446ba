import { type MediaBlock, type ReadFiles, ToolwrightError } from "@toolwright/engine";

/** Bytes of an image that model providers take. */
const maxImageBytes = 3_750_000;

/** By the first bytes, in hexadecimal: a name says nothing about a file. */
const signatures: readonly (readonly [mediaType: string, pattern: RegExp])[] = [
  ["image/png", /^89504e470d0a1a0a/],
  ["image/jpeg", /^ffd8ff/],
  ["image/gif", /^474946383[79]61/],
  ["image/webp", /^52494646.{8}57454250/],
];

interface ImageFile {
  readonly block: MediaBlock;
  readonly bytes: number;
}

/** The image in a file that is not text; undefined when it is none that a model can look at. Rejects with `file_too_large`. */
export async function readImage(files: ReadFiles, path: string): Promise<ImageFile | undefined> {
  const { size } = await files.stat(path);
  if (size > maxImageBytes) {
    // Not worth reading to know: its name is enough to say what is wrong with it.
    if (!/\.(?:png|jpe?g|gif|webp)$/i.test(path)) return undefined;
    throw new ToolwrightError(
      "file_too_large",
      `The image "${path}" has ${size} bytes and a model takes ${maxImageBytes}. Make it smaller first.`,
    );
  }
  const content = await files.readBytes(path, { maxBytes: maxImageBytes });
  const mediaType = mediaTypeOf(content);
  if (mediaType === undefined) return undefined;
  return { block: { type: "image", data: Buffer.from(content).toString("base64"), mimeType: mediaType }, bytes: content.length };
}

function mediaTypeOf(content: Uint8Array): string | undefined {
  const beginning = Buffer.from(content.subarray(0, 16)).toString("hex");
  return signatures.find(([, pattern]) => pattern.test(beginning))?.[0];
}
