import { readFileSync } from "node:fs";
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
export interface ConsoleBuild {
  /** Of what it was built from. */
  readonly hash: string;
  /** Paths of the pages, `$` before what varies, with the files that each needs at once. */
  readonly pages: Readonly<Record<string, readonly string[]>>;
  /** By path, such as `/assets/index-1a2b.js`. */
  readonly files: Readonly<Record<string, BuiltFile>>;
}

/** Where the console is built to, and where a published package has it. */
export const consoleFolder = fileURLToPath(new URL("../../../console", import.meta.url));

/** A built console: its page, and its files by their path. */
export class ConsoleFiles {
  readonly build: ConsoleBuild;
  readonly #folder: string;
  readonly #page: string;
  readonly #pages: readonly { readonly form: RegExp; readonly preload: readonly string[] }[];
  readonly #files: ReadonlyMap<string, BuiltFile>;
  readonly #read = new Map<string, Promise<Buffer>>();

  private constructor(folder: string, build: ConsoleBuild, page: string) {
    this.#folder = folder;
    this.build = build;
    this.#page = page;
    this.#files = new Map(Object.entries(build.files));
    this.#pages = Object.entries(build.pages).map(([path, preload]) => ({ form: formOf(path), preload }));
  }

  /** Undefined where nothing was built. */
  static open(folder: string): ConsoleFiles | undefined {
    try {
      const build = JSON.parse(readFileSync(join(folder, "build.json"), "utf8")) as ConsoleBuild;
      return new ConsoleFiles(folder, build, readFileSync(join(folder, "index.html"), "utf8"));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }

  /** The page for a path with what it loads named ahead; undefined where the console has no page. */
  pageAt(path: string, nonce: string): string | undefined {
    const found = this.#pages.find(({ form }) => form.test(path));
    if (!found) return undefined;
    const links = found.preload.map((file) =>
      file.endsWith(".css")
        ? `<link rel="stylesheet" crossorigin href="${file}" nonce="${nonce}">`
        : `<link rel="modulepreload" crossorigin href="${file}" nonce="${nonce}">`,
    );
    const facts = `<meta name="toolwright-build" content="${this.build.hash}">`;
    return this.#page.replaceAll("{nonce}", nonce).replace("</head>", () => `${facts}${links.join("")}</head>`);
  }

  fileAt(path: string): BuiltFile | undefined {
    return this.#files.get(path);
  }

  /** `form`: the ending of a compressed one. Kept once read: they are the same for everybody. */
  content(path: string, form: "" | ".br" | ".gz"): Promise<Buffer> {
    const name = `${path}${form}`;
    const read = this.#read.get(name) ?? readFile(join(this.#folder, name));
    this.#read.set(name, read);
    read.catch(() => this.#read.delete(name));
    return read;
  }
}

/** `/tools/$name` fits any one part of a path in place of `$name`. */
function formOf(path: string): RegExp {
  const parts = path.split("/").map((part) => (part.startsWith("$") ? "[^/]+" : part));
  return new RegExp(`^${parts.join("/")}/?$`);
}
