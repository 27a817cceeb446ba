import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Extension } from "@electric-sql/pglite";
import { parseTar } from "nanotar";

/** What PGlite's WebAssembly module offers before it runs. */
interface Files {
  FS_createDataFile(path: string, ...more: readonly unknown[]): unknown;
  readonly FS: { mkdirTree(path: string): void; writeFile(path: string, bytes: Uint8Array): void };
}

interface Options {
  readonly preRun?: readonly unknown[];
}

const preparing = (options: Options, prepare: (files: Files) => void) => ({ ...options, preRun: [...(options.preRun ?? []), prepare] });

const place = "/pglite";
const zones = `${place}/share/postgresql/timezone/`;
const usedZones = /^(?:Etc\/)?(?:UTC|GMT)$/;

/**
 * Leaves out the files of time zones but that of the database: most of the files that PGlite copies into its memory each time it opens. Queries know
 * no other zone, since schedules go by the zones of Node.
 */
export const withoutZones: Extension = {
  name: "without_zones",
  setup: async (_pglite, options: Options) => ({
    emscriptenOpts: preparing(options, (files) => {
      const create = files.FS_createDataFile;
      files.FS_createDataFile = (path, ...more) => {
        const isUnused = path.startsWith(zones) && !usedZones.test(path.slice(zones.length));
        return isUnused ? undefined : create(path, ...more);
      };
    }),
  }),
};

/**
 * Wraps an extension of PGlite so that PostgreSQL compiles its library when a query first needs it. PGlite itself compiles every library before it opens,
 * a tenth of the time that opening takes.
 */
export const unpackedAtOnce = (extension: Extension): Extension => ({
  ...extension,
  async setup(...given) {
    const { bundlePath, emscriptenOpts = given[1], ...more } = await extension.setup(...given);
    if (bundlePath === undefined) return { ...more, emscriptenOpts };
    const unpack = ({ FS }: Files) => {
      for (const { name, type, data } of parseTar(gunzipSync(readFileSync(bundlePath)))) {
        if (type !== "file" || data === undefined) continue;
        FS.mkdirTree(dirname(`${place}/${name}`));
        FS.writeFile(`${place}/${name}`, data);
      }
    };
    return { ...more, emscriptenOpts: preparing(emscriptenOpts, unpack) };
  },
});

declare namespace WebAssembly {
  type Module = object;
  function compile(code: Uint8Array): Promise<Module>;
}

let program: Promise<WebAssembly.Module> | undefined;

/** Once a process, for all databases that it opens. */
function compileProgram(file: string): Promise<WebAssembly.Module> {
  program ??= WebAssembly.compile(readFileSync(file));
  program.catch(() => {
    program = undefined;
  });
  return program;
}

/**
 * The program of PGlite, which V8 compiles in a thread of its own, and its files, each read in one piece. PGlite would read them in many, and ask this
 * thread for each, which may be at something else.
 */
export function readShipped(): { readonly fsBundle: Blob; readonly program: Promise<WebAssembly.Module> } {
  const folder = dirname(createRequire(import.meta.url).resolve("@electric-sql/pglite"));
  const fsBundle = new Blob([]);
  fsBundle.arrayBuffer = async () => {
    const { buffer, byteOffset, byteLength } = readFileSync(join(folder, "pglite.data"));
    return byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength);
  };
  return { fsBundle, program: compileProgram(join(folder, "pglite.wasm")) };
}
