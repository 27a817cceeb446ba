import { type Failure, fail, type ReadFiles, ToolwrightError } from "@toolwright/engine";
import type { TextSlice } from "@toolwright/engine/ports";

/** Reads lines of a text file; a file that is not text gets an answer that a model can act on. */
export async function readText(
  files: ReadFiles,
  path: string,
  range: Parameters<ReadFiles["readLines"]>[1] = {},
): Promise<TextSlice | Failure> {
  try {
    return await files.readLines(path, range);
  } catch (error) {
    if (!ToolwrightError.is(error) || error.code !== "not_a_file") throw error;
    const { kind, size } = await files.stat(path);
    if (kind !== "file") throw error;
    return fail(
      "binary_file",
      `"${path}" is not UTF-8 text (${size} bytes), so it has no lines to read or edit. PDFs and Word documents are read with document_read, others with a program that knows their format.`,
    );
  }
}
