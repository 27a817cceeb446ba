import { defineTool, fail, isFailure, type MediaBlock, type ReadFiles, ToolwrightError } from "@toolwright/engine";
import { z } from "zod";
import { readText } from "./read-text.ts";

/** Bytes of text in one answer: about what a model reads with profit, and far within the bound of a result. */
const maxBytes = 48_000;

/** Reads lines of one text file in the workspace. */
export default defineTool({
  name: "file_read",
  title: "Read file",
  group: "fs",
  description:
    "Read a text file or look at an image (PNG, JPEG, GIF, WebP) in the workspace. Use it before you edit or overwrite a file, and pass the version it returns to that edit. " +
    "Large files come in parts: pass startLine and endLine, and go on at nextLine. " +
    "To find text across files use file_search first; to see which files there are use file_list. For PDFs and Word documents use document_read; archives and other binary files are not readable.",
  input: z.object({
    path: z.string().min(1).describe("Path of the file, relative to the workspace."),
    startLine: z.int().min(1).nullish().describe("First line to read, counted from 1. Default: the first line of the file."),
    endLine: z.int().min(1).nullish().describe("Last line to read, inclusive. Default: the last line of the file."),
  }),
  output: z.object({
    path: z.string().describe("The path that was read."),
    text: z.string().describe("The lines as they stand in the file."),
    startLine: z.int().describe("Number of the first line in the text."),
    endLine: z.int().describe("Number of the last line in the text; lower than startLine when the text is empty."),
    lines: z.int().describe("Lines in the whole file."),
    truncated: z.boolean().describe("True when less than what was asked for is here."),
    nextLine: z.int().nullable().describe("Where to go on when truncated, or null when there is nothing to go on with."),
    version: z.string().optional().describe("Of text: changes with the content. Pass it to file_edit or file_write."),
    image: z
      .object({ mediaType: z.string().describe("Such as image/png."), bytes: z.int().describe("Size of the file.") })
      .optional()
      .describe("Of an image, which is a block of content beside this; the text is empty."),
  }),
  permission: "files.tenant.read",
  effects: { files: "read" },
  examples: [
    { label: "A whole file", input: { path: "README.md" } },
    { label: "Lines 100 to 180", input: { path: "src/server.ts", startLine: 100, endLine: 180 } },
  ],
  aliases: { file: "path", file_path: "path", filename: "path", start_line: "startLine", end_line: "endLine" },
  limits: { maxOutputBytes: 2.5 * maxBytes },
  reaches: ({ path }) => [{ kind: "path", path, access: "read" }],
  ask: ({ path }, say) => say`Read ${path}?`,
  async run({ path, startLine, endLine }, { files, show, note }) {
    const first = startLine ?? 1;
    if (endLine != null && endLine < first) return fail("empty_range", `endLine ${endLine} is before startLine ${first}. Swap them.`);
    const slice = await readText(files, path, { startLine: first, endLine: endLine ?? null, maxBytes });
    if (isFailure(slice)) {
      const image = slice.code === "binary_file" ? await readImage(files, path) : undefined;
      if (!image) return slice;
      show(image.block);
      note("The image is a content block beside the structured output. A client that passes on only the structured output hides it.");
      return { ...noLines, path, image: { mediaType: image.block.mimeType, bytes: image.bytes } };
    }
    const { lines, truncated, version } = slice;
    if (first > 1 && first > lines) return fail("beyond_end", `"${path}" has ${lines} lines, so there is no line ${first}. Start earlier.`);
    const text = truncated ? keepWholeLines(slice.text) : slice.text;
    const next = first + countLines(text);
    return {
      path,
      text,
      startLine: first,
      endLine: next - 1,
      lines,
      truncated,
      nextLine: truncated && next <= lines ? next : null,
      version,
    };
  },
  toModel({ path, text, startLine, endLine, lines, truncated, nextLine, version, image }) {
    if (image) return [{ type: "text", text: `${path}: ${image.mediaType}, ${image.bytes} bytes` }];
    const range = endLine < startLine ? "no lines" : `lines ${startLine} to ${endLine}`;
    const header = `${path}: ${range} of ${lines}, version ${version}`;
    if (!truncated) return [{ type: "text", text: `${header}\n${text}` }];
    const cut = text.endsWith("\n") ? "Cut here." : `Line ${endLine} is cut: it is too long.`;
    const more = nextLine === null ? "There is no line after it." : `Go on with startLine ${nextLine}.`;
    return [{ type: "text", text: `${header}\n${text}\n[${cut} ${more}]` }];
  },
});

const noLines = { text: "", startLine: 1, endLine: 0, lines: 0, truncated: false, nextLine: null };

/** Leaves out a last line that was cut, unless it is the only one. */
function keepWholeLines(text: string): string {
  return text.includes("\n") ? text.slice(0, text.lastIndexOf("\n") + 1) : text;
}

/** Lines in a text; a last line need not end with a line end. */
function countLines(text: string): number {
  if (text === "") return 0;
  let count = text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

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
async function readImage(files: ReadFiles, path: string): Promise<ImageFile | undefined> {
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
