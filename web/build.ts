// Installs what the console needs and builds it into packages/server/console, when its sources or its lock file changed:
//   node web/build.ts            prints a line for each step, and nothing when there is nothing to do
// Safe to run twice at a time: the second waits for the first.
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { buildViewApp } from "./build-view-app.ts";
import { hashSources } from "./hash-sources.ts";
import { alone, installPackages, say } from "./install.ts";

const web = fileURLToPath(new URL(".", import.meta.url));
const root = join(web, "..");
const into = join(root, "packages", "server", "console");

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

const hash = hashSources();
if (builtFrom() !== hash)
  await alone(async () => {
    // Another may have built it meanwhile.
    if (builtFrom() !== hash) await build();
  });

function builtFrom(): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(into, "build.json"), "utf8")) as { readonly hash?: string }).hash;
  } catch {
    return undefined;
  }
}

async function build(): Promise<void> {
  installPackages();
  say("building the console ...");
  const outDir = `${into}.${process.pid}`;
  try {
    // Whoever builds for tests builds what people get: Vite leaves another word as it is, and React then is the one for its developers.
    process.env.NODE_ENV = "production";
    const { build: buildPages } = await import("vite");
    await buildPages({ root: web, configFile: join(web, "vite.config.ts"), logLevel: "warn", build: { outDir, emptyOutDir: true } });
    writeFileSync(join(outDir, "view-app.html"), await buildViewApp(web));
    writeFileSync(join(outDir, "build.json"), JSON.stringify({ hash, pages: pagesOf(outDir), files: await compressAll(outDir) }));
    const old = `${outDir}.old`;
    if (existsSync(into)) renameSync(into, old);
    renameSync(outDir, into);
    rmSync(old, { recursive: true, force: true });
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

interface Chunk {
  readonly file: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

/** For each path of the router the files that its page needs at once: `web/routes.json` says which page it is. */
function pagesOf(outDir: string): Readonly<Record<string, readonly string[]>> {
  const manifest = JSON.parse(readFileSync(join(outDir, "manifest.json"), "utf8")) as Readonly<Record<string, Chunk>>;
  const routes = JSON.parse(readFileSync(join(web, "routes.json"), "utf8")) as Readonly<Record<string, string>>;
  const filesOf = (name: string, found = new Set<string>()): Set<string> => {
    const chunk = manifest[name];
    if (!chunk) throw new Error(`web/routes.json names ${name}, which no page imports.`);
    if (found.has(chunk.file)) return found;
    found.add(chunk.file);
    for (const file of chunk.css ?? []) found.add(file);
    for (const each of chunk.imports ?? []) filesOf(each, found);
    return found;
  };
  const entry = filesOf("index.html");
  return Object.fromEntries(
    Object.entries(routes).map(([path, page]) => [path, [...filesOf(page)].filter((file) => !entry.has(file)).map((file) => `/${file}`)]),
  );
}

interface BuiltFile {
  readonly type: string;
  readonly size: number;
  readonly brotli?: number;
  readonly gzip?: number;
}

/** Writes `.br` and `.gz` beside what gets smaller by it. */
async function compressAll(outDir: string): Promise<Readonly<Record<string, BuiltFile>>> {
  const files = globSync("assets/**/*", { cwd: outDir }).filter((path) => statSync(join(outDir, path)).isFile());
  const entries = files.map(async (path): Promise<readonly [string, BuiltFile]> => {
    const file = join(outDir, path);
    const content = readFileSync(file);
    const type = types[extname(path)];
    if (type === undefined) throw new Error(`${path} is of a kind that web/build.ts does not know. Add its media type there.`);
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };
    const [brotli, gzipped] = await Promise.all([promisify(brotliCompress)(content, quality), promisify(gzip)(content, { level: 9 })]);
    mkdirSync(dirname(file), { recursive: true });
    const isSmaller = brotli.length < content.length && gzipped.length < content.length;
    if (isSmaller) {
      writeFileSync(`${file}.br`, brotli);
      writeFileSync(`${file}.gz`, gzipped);
    }
    const name = `/${relative(outDir, file).split(sep).join("/")}`;
    return [name, { type, size: content.length, ...(isSmaller && { brotli: brotli.length, gzip: gzipped.length }) }];
  });
  return Object.fromEntries(await Promise.all(entries));
}
