import { readFile } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import type { Attachment } from "@toolwright/engine";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";

/** For people: what a model takes goes by the bytes. */
const mediaTypes: Readonly<Record<string, string>> = {
  ...{ ".csv": "text/csv", ".html": "text/html", ".json": "application/json", ".md": "text/markdown", ".txt": "text/plain" },
  ...{
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".webp": "image/webp",
  },
};

/** A file of this machine that goes with a message. Rejects for one that cannot be read. */
export async function readAttachment({ cwd }: Pick<Io, "cwd">, path: string): Promise<Attachment> {
  const bytes = await readFile(resolve(cwd, path)).catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(`--attach ${JSON.stringify(path)} cannot be read, so nothing was sent: ${why}.`, { cause });
  });
  const mediaType = mediaTypes[extname(path).toLowerCase()] ?? "application/octet-stream";
  return { name: basename(path), mediaType, bytes: () => Promise.resolve(bytes) };
}
