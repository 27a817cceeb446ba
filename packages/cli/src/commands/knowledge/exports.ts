import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { oneLine } from "@toolwright/engine/visible-text";
import { z } from "zod";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { asPerson } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { type Document, type NewFile, type UploadOptions, uploadAll } from "./upload.ts";

interface ExportOptions extends TenantOptions, RemoteOptions {
  readonly collection?: string;
}

/** A document as an export holds it: without its pages. */
const exportedSchema = z.object({
  title: z.string(),
  collection: z.string(),
  source: z.object({ kind: z.enum(["file", "url", "text"]), place: z.string().optional() }),
  text: z.string(),
});
type Exported = z.infer<typeof exportedSchema>;

export function exportAll(io: Io, options: ExportOptions): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async ({ operate }) => {
    for (const { id, title, collection, source, version } of await listAll(operate, options.collection)) {
      if (version === 0) {
        io.err(`Left out: ${oneLine(title)} is not read yet.\n`);
        continue;
      }
      const exported: Exported = { title, collection, source, text: await readText(operate, id) };
      io.out(`${JSON.stringify(exported)}\n`);
    }
    return exitCodes.done;
  });
}

async function readText(operate: Operate, id: string): Promise<string> {
  let text = "";
  for (;;) {
    const part = await operate("documents.read", { id, offset: text.length });
    text += part.text;
    if (part.text === "" || text.length >= part.total) return text;
  }
}

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

async function listAll(operate: Operate, collection: string | undefined): Promise<readonly Document[]> {
  const all: Document[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await operate("documents.list", { collection, after });
    all.push(...items);
    after = next;
  } while (after !== undefined);
  return all;
}
