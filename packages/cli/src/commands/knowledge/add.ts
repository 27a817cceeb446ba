import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, resolve, sep } from "node:path";
import { oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { type NewFile, type UploadOptions, uploadAll } from "./upload.ts";

export interface AddOptions extends UploadOptions {
  readonly collection?: string;
  readonly encoding?: string;
}

const mostBytes = 50_000_000;
const mostOfTitle = 200;
const readable = /\.(?:pdf|docx|html?|xhtml|md|markdown|mdx|txt|text|rst|adoc|csv|tsv|ipynb|eml|mht|mhtml|mbox|log)$/i;

interface Found {
  readonly path: string;
  readonly title: string;
}

export function add(io: Io, { collection = "default", encoding, ...options }: AddOptions, paths: readonly string[]): Promise<number> {
  const leftOut: string[] = [];
  const found = paths.flatMap((path) => findFiles(resolve(io.cwd, path), leftOut));
  if (leftOut.length > 0) {
    const [named, more] = [leftOut.slice(0, 5).join(", "), leftOut.length - 5];
    const why = "They are of a kind that cannot be read, larger than 50 MB, or links";
    io.err(`Left out: ${oneLine(named)}${more > 0 ? ` and ${more} more` : ""}. ${why}.\n`);
  }
  if (found.length === 0)
    throw new CliError("There is nothing to add. Name files or folders with PDF, Word, HTML, Markdown, notebooks, CSV or text.");
  if (encoding !== undefined && !/^[\w.:-]{1,40}$/.test(encoding))
    throw new CliError(`${JSON.stringify(encoding)} is no name of an encoding. Name one such as windows-1251 or shift_jis.`);
  const mediaType = `application/octet-stream${encoding === undefined ? "" : `; charset=${encoding}`}`;
  const files = found.map(
    ({ path, title }): NewFile => ({
      ...{ title, collection, source: { kind: "file", place: path }, mediaType },
      bytes: () => readBytes(path),
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
    return [{ path, title: basename(path).slice(-mostOfTitle) }];
  }
  if (!entry.isDirectory()) throw new CliError(`${path} is neither a file nor a folder.`);
  const files = readFolder(path)
    .filter((each) => !each.isDirectory())
    .map((each) => ({
      ...{ path: join(each.parentPath, each.name), isFile: each.isFile() },
      name: relative(path, join(each.parentPath, each.name)).split(sep),
    }))
    .filter(({ name }) => !name.some((part) => part.startsWith(".") || part === "node_modules"))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
  return files.flatMap(({ path: file, isFile, name }): Found[] => {
    const title = name.join("/");
    if (isFile && readable.test(title) && statSync(file).size <= mostBytes) return [{ path: file, title: title.slice(-mostOfTitle) }];
    leftOut.push(title);
    return [];
  });
}

function readFolder(path: string) {
  try {
    return readdirSync(path, { recursive: true, withFileTypes: true });
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function readBytes(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

const unreadable = (path: string, cause: unknown) =>
  new CliError(`${path} cannot be read (${(cause as NodeJS.ErrnoException).code}). Check its permissions.`, { cause });
