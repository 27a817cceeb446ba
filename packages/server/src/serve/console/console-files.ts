import { readFileSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** A file of the build, beside which its compressed forms may lie. */
export interface BuiltFile {
  /** Media type. */
  readonly type: string;
  readonly size: number;
  /** Bytes of `.br` and `.gz`; absent where they would not be smaller. */
  readonly brotli?: number;
  readonly gzip?: number;
}

/** What a build says of itself, in `build.json`. */
interface ConsoleBuild {
  /** Hash of what it was built from. */
  readonly hash: string;
  /** Paths of the pages, `$` before what varies, with the files that each needs at once. */
  readonly pages: Readonly<Record<string, readonly string[]>>;
  /** By path, such as `/assets/index-1a2b.js`. */
  readonly files: Readonly<Record<string, BuiltFile>>;
}

/** Where the console is built to, and where a published package has it. */
export const consoleFolder = fileURLToPath(new URL("../../../console", import.meta.url));

interface Opened {
  readonly build: ConsoleBuild;
  readonly page: string;
  readonly pages: readonly { readonly form: RegExp; readonly preload: readonly string[] }[];
  readonly files: ReadonlyMap<string, BuiltFile>;
  /** Contents by name, kept once read: they are the same for everybody. */
  readonly read: Map<string, Promise<Buffer>>;
  /** When the build was written, in milliseconds. */
  readonly at: number;
}

/** A built console: its page, and its files by their path. */
export class ConsoleFiles {
  readonly #folder: string;
  #opened: Opened;

  private constructor(folder: string, opened: Opened) {
    this.#folder = folder;
    this.#opened = opened;
  }

  /** Undefined where nothing was built. */
  static open(folder: string): ConsoleFiles | undefined {
    const opened = openBuild(folder);
    return opened && new ConsoleFiles(folder, opened);
  }

  get build(): ConsoleBuild {
    return this.#opened.build;
  }

  /** Goes over to a build that took the place of this one. */
  refresh(): void {
    if (writtenAt(this.#folder) !== this.#opened.at) this.#opened = openBuild(this.#folder) ?? this.#opened;
  }

  /** The page for a path with what it loads named ahead; undefined where the console has no page. */
  pageAt(path: string, nonce: string): string | undefined {
    const found = this.#opened.pages.find(({ form }) => form.test(path));
    if (!found) return undefined;
    const links = found.preload.map((file) =>
      file.endsWith(".css")
        ? `<link rel="stylesheet" crossorigin href="${file}" nonce="${nonce}">`
        : `<link rel="modulepreload" crossorigin href="${file}" nonce="${nonce}">`,
    );
    const facts = `<meta name="toolwright-build" content="${this.build.hash}">`;
    return this.#opened.page.replaceAll("{nonce}", nonce).replace("</head>", () => `${facts}${links.join("")}</head>`);
  }

  fileAt(path: string): BuiltFile | undefined {
    return this.#opened.files.get(path);
  }

  /** `form`: the ending of a compressed one. Undefined where another build takes the place of this one just now. */
  async content(path: string, form: "" | ".br" | ".gz"): Promise<Buffer | undefined> {
    const name = `${path}${form}`;
    const { read } = this.#opened;
    const content = read.get(name) ?? readFile(join(this.#folder, name));
    read.set(name, content);
    try {
      return await content;
    } catch (error) {
      read.delete(name);
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
  }
}

function openBuild(folder: string): Opened | undefined {
  const at = writtenAt(folder);
  if (at === undefined) return undefined;
  try {
    const build = JSON.parse(readFileSync(join(folder, "build.json"), "utf8")) as ConsoleBuild;
    const pages = Object.entries(build.pages).map(([path, preload]) => ({ form: formOf(path), preload }));
    const page = readFileSync(join(folder, "index.html"), "utf8");
    return { build, page, pages, files: new Map(Object.entries(build.files)), read: new Map(), at };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function writtenAt(folder: string): number | undefined {
  return statSync(join(folder, "build.json"), { throwIfNoEntry: false })?.mtimeMs;
}

/** `/tools/$name` fits any one part of a path in place of `$name`. */
function formOf(path: string): RegExp {
  const parts = path.split("/").map((part) => (part.startsWith("$") ? "[^/]+" : part));
  return new RegExp(`^${parts.join("/")}/?$`);
}
