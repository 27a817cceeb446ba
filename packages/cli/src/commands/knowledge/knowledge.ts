import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { visibleText } from "@toolwright/engine/ports";
import { oneLine } from "@toolwright/server/text";
import { z } from "zod";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import { asPerson } from "../context/as-person.ts";
import type { Operate } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { tellResult } from "../context/tell-result.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { type Document, describeState, type NewFile, type UploadOptions, uploadAll } from "./upload.ts";

interface KnowledgeOptions extends TenantOptions, RemoteOptions {
  readonly collection?: string;
  readonly limit?: string;
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

export function list(io: Io, options: KnowledgeOptions): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => listAll(operate, options.collection),
    (items) => {
      const where = options.collection === undefined ? "" : ` in the collection ${oneLine(JSON.stringify(options.collection))}`;
      if (items.length === 0) io.out(`There are no documents${where}. Add some with: toolwright knowledge add ./docs --wait\n`);
      else io.out(`${renderTable(["id", "title", "collection", "state", "passages", "pages"], items.map(toRow), io.columns)}\n`);
    },
  );
}

const toRow = ({ id, title, collection, state, chunks, pages }: Document): readonly string[] => [
  ...[id, oneLine(title), oneLine(collection), state, `${chunks}`, pages === undefined ? "" : `${pages}`],
];

export function show(io: Io, options: KnowledgeOptions, [id = ""]: readonly string[]): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => operate("documents.show", { id }),
    (document) => io.out(`${visibleText(describe(document))}\n`),
  );
}

function describe(document: Document): string {
  const { id, collection, source, trust, version, nextVersion, writtenBy, updatedAt } = document;
  return [
    `${id}: ${describeState(document)}`,
    `Collection ${collection}, version ${version}${nextVersion === undefined ? "" : ` (${nextVersion} waits to be read)`}`,
    `From ${source.place ?? "a text"}, trust ${trust}, by the ${writtenBy.kind} ${writtenBy.id}, ${new Date(updatedAt).toISOString()}`,
  ].join("\n");
}

export function search(io: Io, options: KnowledgeOptions, words: readonly string[]): Promise<number> {
  const { collection, limit } = options;
  if (limit !== undefined && !/^[1-9]\d?$/.test(limit))
    throw new CliError(`${JSON.stringify(limit)} is no number of passages from 1 to 30.`);
  return tellResult(
    io,
    options,
    (operate) =>
      operate("documents.search", { query: words.join(" "), collection, limit: limit === undefined ? undefined : Number(limit) }),
    ({ items, notSearched, without }) => {
      const shown = items.map(
        ({ citation, document, weak, text }) =>
          `[${oneLine(citation)}] ${document}${weak ? " (may not answer)" : ""}\n${visibleText(text)}\n`,
      );
      io.out(shown.length === 0 ? "No passage answers this.\n" : `${shown.join("\n")}`);
      if (shown.length === 0) for (const why of without) io.err(`${oneLine(why)}\n`);
      if (notSearched.length > 0)
        io.err(`Not searched: ${notSearched.map(({ title, state }) => `${oneLine(title)} (${state})`).join(", ")}.\n`);
    },
  );
}

/** A document as an export holds it: without its pages. */
const exportedSchema = z.object({
  title: z.string(),
  collection: z.string(),
  source: z.object({ kind: z.enum(["file", "url", "text"]), place: z.string().optional() }),
  text: z.string(),
});
type Exported = z.infer<typeof exportedSchema>;

export function exportAll(io: Io, options: KnowledgeOptions): Promise<number> {
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

export function remove(io: Io, options: KnowledgeOptions, ids: readonly string[]): Promise<number> {
  return tellResult(
    io,
    options,
    async (operate) => {
      const removed: { readonly id: string; readonly removed: number }[] = [];
      for (const id of ids) removed.push({ id, ...(await operate("documents.remove", { id })) });
      return removed;
    },
    (all) => {
      for (const { id, removed } of all) io.err(`Removed ${oneLine(id)} (${removed === 1 ? "1 passage" : `${removed} passages`}).\n`);
    },
  );
}
