import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { type NewFile, type UploadOptions, uploadAll } from "./upload.ts";

export interface AddOptions extends UploadOptions {
  readonly collection?: string;
}

const mostBytes = 50_000_000;
const readable = /\.(?:pdf|docx|html?|xhtml|md|markdown|mdx|txt|text|rst|adoc|csv|tsv|ipynb)$/i;

interface Found {
  readonly path: string;
  readonly title: string;
}

export function add(io: Io, { collection = "default", ...options }: AddOptions, paths: readonly string[]): Promise<number> {
  const leftOut: string[] = [];
  const found = paths.flatMap((path) => findFiles(resolve(io.cwd, path), leftOut));
  if (leftOut.length > 0) {
    const [named, more] = [leftOut.slice(0, 5).join(", "), leftOut.length - 5];
    io.err(`Left out: ${named}${more > 0 ? ` and ${more} more` : ""}. They are of a kind that cannot be read, or larger than 50 MB.\n`);
  }
  if (found.length === 0)
    throw new CliError("There is nothing to add. Name files or folders with PDF, Word, HTML, Markdown, notebooks, CSV or text.");
  const files = found.map(
    ({ path, title }): NewFile => ({
      ...{ title, collection, source: { kind: "file", place: path }, mediaType: "application/octet-stream" },
      bytes: () => readFileSync(path),
    }),
  );
  return uploadAll(io, options, files);
}

/** A file that is named is taken as it is; of a folder what can be read, without what is hidden. */
function findFiles(path: string, leftOut: string[]): readonly Found[] {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry) throw new CliError(`There is no file or folder ${path}.`);
  if (entry.isFile()) {
    if (entry.size > mostBytes) throw new CliError(`${path} has more than 50 MB. Split it first.`);
    return [{ path, title: basename(path) }];
  }
  const files = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => ({ path: join(each.parentPath, each.name), name: relative(path, join(each.parentPath, each.name)).split(sep) }))
    .filter(({ name }) => !name.some((part) => part.startsWith(".") || part === "node_modules"))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  return files.flatMap(({ path: file, name }): Found[] => {
    const title = name.join("/");
    if (readable.test(title) && statSync(file).size <= mostBytes) return [{ path: file, title: title.slice(-200) }];
    leftOut.push(title);
    return [];
  });
}
