import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { type NewFile, type UploadOptions, uploadAll } from "./upload.ts";

/** A document as an export holds it: without its pages. */
const exportedSchema = z.object({
  title: z.string(),
  collection: z.string(),
  source: z.object({ kind: z.enum(["file", "url", "text"]), place: z.string().optional() }),
  text: z.string(),
});
type Exported = z.infer<typeof exportedSchema>;

export function importFile(io: Io, options: UploadOptions, [file = ""]: readonly string[]): Promise<number> {
  const path = resolve(io.cwd, file);
  const files = readExport(path).map(
    ({ title, collection, source, text }): NewFile => ({
      // Its text is what is kept, whatever it was made of.
      ...{ title, collection, source: { ...source, place: source.place ?? `import:${title}` }, mediaType: "text/markdown" },
      bytes: () => new TextEncoder().encode(text),
    }),
  );
  return uploadAll(io, options, files);
}

function readExport(path: string): readonly Exported[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
    return lines.map((line) => exportedSchema.parse(JSON.parse(line)));
  } catch (cause) {
    throw new CliError(`${path} cannot be read, or is no list of documents. Name a file that knowledge export has written.`, { cause });
  }
}
