import { createHash } from "node:crypto";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { CodeOwner } from "./code-owner.ts";
import { findSpecifiers, type Specifier } from "./find-specifiers.ts";

/** Marks a URL as part of one fresh load. Node keeps modules by URL, so another mark is another module. */
const mark = "toolwright-load";
const marked = /[?&]toolwright-load=(\d+)/;

/** What tool files may import although nothing is installed beside them. */
const provided = /^(zod|@toolwright\/engine)(\/|$)/;
/** What a tool file shares with this program when both find the very same file. */
const shared = /^(zod|@toolwright\/[^/]+)(\/|$)/;

/** Throws for code that must not run; hears of each file just before it does. */
export type ModuleGuard = (path: string, sha256: string) => void;

interface Load {
  readonly id: string;
  /** Folder with the entry, as a path. */
  readonly root: string;
  readonly guard: ModuleGuard | undefined;
  readonly owner: CodeOwner | undefined;
  readonly stamps: Map<string, string>;
  /** Files that belong to no package, by path. */
  readonly files: Map<string, { sha: string; text: string }>;
  /** Where each file's specifiers led. */
  readonly edges: Map<string, Map<string, string>>;
  /** Paths of files in packages that the files import. */
  readonly packages: Set<string>;
  /** From when on no other file may become part of it. */
  isSealed: boolean;
}

/** Kept for good: a tool may import more of what it is made of when it runs. */
const loads = new Map<string, Load>();
/** Loads that begin, by the URL of the entry. */
const entries = new Map<string, Load>();
/** The newest load that each file is part of; a file that is required names itself without a mark. */
const owners = new Map<string, Load>();
/** What Node read of the files of packages, which it reads once in a process. */
const packaged = new Map<string, { sha: string; readonly imports: Set<string> }>();

interface FreshModule {
  readonly namespace: { readonly default?: unknown };
  /** The state of every file outside packages that the module is made of, as it was just before it was read. */
  readonly stamps: ReadonlyMap<string, string>;
  /** The files and packages with marks of their content: what ran, and what may run later. */
  readonly code: readonly (readonly [name: string, mark: string])[];
}

interface FreshOptions {
  /** Folder that names are relative to. */
  readonly root: string;
  readonly guard?: ModuleGuard | undefined;
  /** Who answers for what the code does. */
  readonly owner?: CodeOwner;
  /** Filled while the file loads, so that it is known of a file too that does not finish. */
  readonly stamps?: Map<string, string>;
}

/**
 * Imports a file as if for the first time, together with every file outside packages that it imports. `zod` and `@toolwright/engine`
 * come from here when the file's own folder has none. What it may import later by a literal name is read now: another file, or another
 * content, is refused then. Rejects with the import's own error.
 */
export async function importFresh(path: string, { root, guard, owner, stamps = new Map() }: FreshOptions): Promise<FreshModule> {
  ensureHooks();
  const id = String(loads.size + 1);
  const load: Load = {
    ...{ id, root, guard, owner, stamps, files: new Map(), edges: new Map(), packages: new Set(), isSealed: false },
  };
  loads.set(id, load);
  forgetRequired();
  const url = pathToFileURL(path);
  url.searchParams.set(mark, id);
  entries.set(url.href, load);
  try {
    const namespace = (await import(url.href)) as FreshModule["namespace"];
    readLater(load);
    return { namespace, stamps: load.stamps, code: codeOf(load) };
  } catch (error) {
    if (error instanceof Error) error.message = error.message.replaceAll(new RegExp(marked, "g"), "");
    throw error;
  } finally {
    load.isSealed = true;
    entries.delete(url.href);
  }
}

const markedFrame = new RegExp(marked, "g");

/** Who answers for the innermost file of a tool that a stack names. */
export function ownerOfStack(stack: string): CodeOwner | undefined {
  for (const [, id = ""] of stack.matchAll(markedFrame)) {
    const owner = loads.get(id)?.owner;
    if (owner) return owner;
  }
  return undefined;
}

/** Changes whenever the file does. */
export function stampOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.mtimeNs}:${stats.size}:${stats.ino}` : "missing";
}

export const isInPackage = (path: string) => path.split(sep).includes("node_modules");

/** The folder of the package that a file is in. */
export function packageOf(path: string): string {
  const parts = path.split(sep);
  const at = parts.lastIndexOf("node_modules") + 1;
  return parts.slice(0, at + (parts[at]?.startsWith("@") ? 2 : 1)).join(sep);
}

/** Where a specifier leads from a file: to a file, or undefined for what this program provides, what Node has, and what is not there. */
export function resolveFrom(path: string, { text, by }: Specifier): string | undefined {
  ensureHooks();
  try {
    if (by === "url") return existingFile(new URL(text, pathToFileURL(path)).href);
    if (by === "import") return existingFile(import.meta.resolve(probe + encodeURIComponent(JSON.stringify({ text, path }))));
    const found = createRequire(path).resolve(text);
    return shared.test(text) && found === ownPathOf(text) ? undefined : existingFile(pathToFileURL(found).href);
  } catch {
    return undefined;
  }
}

export const sha256Of = (content: string | NodeJS.ArrayBufferView) => createHash("sha256").update(content).digest("hex");

function existingFile(url: string): string | undefined {
  if (!url.startsWith("file:")) return undefined;
  const path = fileURLToPath(url);
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? path : undefined;
}

/** Asks Node's own rules where a file's import would lead, which it tells of no file but the one that asks. */
const probe = "toolwright-resolve:";

type Resolve = NonNullable<Parameters<typeof registerHooks>[0]["resolve"]>;
type LoadHook = NonNullable<Parameters<typeof registerHooks>[0]["load"]>;

let isHooked = false;

function ensureHooks(): void {
  if (isHooked) return;
  isHooked = true;
  registerHooks({ resolve: resolveTracked, load: loadTracked });
}

/** Node keeps what is required by path: without this, a file that changed would run as it was. */
function forgetRequired(): void {
  const { cache } = createRequire(import.meta.url);
  for (const key of owners.keys()) if (key.startsWith("file:") && !isInPackage(fileURLToPath(key))) delete cache[fileURLToPath(key)];
}

const keyOf = (url: string) => (url.startsWith("file:") ? pathToFileURL(fileURLToPath(url)).href : url);

function ownerOf(url: string | undefined): Load | undefined {
  if (url === undefined) return undefined;
  const id = marked.exec(url)?.[1];
  return (id === undefined ? undefined : loads.get(id)) ?? owners.get(keyOf(url));
}

const resolveTracked: Resolve = (specifier, context, next) => {
  if (specifier.startsWith(probe)) return answerProbe(specifier, context, next);
  const entry = entries.get(specifier);
  const load = entry ?? ownerOf(context.parentURL);
  if (load === undefined) return next(specifier, context);
  const { resolved, isOwn } = locate(specifier, context, next);
  const isFile = resolved.url.startsWith("file:");
  if (isOwn || (!isFile && !resolved.url.startsWith("data:"))) {
    noteEdge(load, context.parentURL, { specifier, target: isOwn ? "toolwright" : resolved.url });
    return resolved;
  }
  owners.set(keyOf(resolved.url), load);
  if (!isFile) return resolved;
  const path = fileURLToPath(resolved.url);
  if (!entry) noteEdge(load, context.parentURL, { specifier, target: path });
  // Node hands native code to the system without a load of its own.
  if (path.endsWith(".node")) take(load, path, { sha: sha256IfThere(path), text: () => "" });
  if (isInPackage(path)) return resolved;
  if (!load.isSealed && !load.stamps.has(path)) load.stamps.set(path, stampOf(path));
  const url = new URL(resolved.url);
  url.searchParams.set(mark, load.id);
  const format = formatOf(path);
  return { ...resolved, url: url.href, ...(format && { format }) };
};

const loadTracked: LoadHook = (url, context, next) => {
  const load = ownerOf(url);
  const result = next(url, context);
  if (load === undefined || !url.startsWith("file:")) return result;
  const path = fileURLToPath(url);
  const { source } = result;
  const content = source === undefined || source === null ? readFileSync(path) : typeof source === "string" ? source : bytesOf(source);
  take(load, path, { sha: sha256Of(content), text: () => (typeof content === "string" ? content : Buffer.from(content).toString("utf8")) });
  return result;
};

function bytesOf(source: ArrayBuffer | NodeJS.ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength) : new Uint8Array(source);
}

function take(load: Load, path: string, { sha, text }: { readonly sha: string; readonly text: () => string }): void {
  load.guard?.(path, sha);
  if (isInPackage(path)) {
    packagedAt(path).sha = sha;
    return;
  }
  const known = load.files.get(path);
  if (load.isSealed && known === undefined)
    throw new Error(
      `${path} was not known when the tool was loaded, so nobody could approve it. Import it at the top of a file, or by a literal name.`,
    );
  if (known !== undefined && known.sha !== sha)
    throw new Error(`${path} changed since the tool was loaded. Call the tool again once it is loaded again.`);
  load.files.set(path, { sha, text: text() });
}

function packagedAt(path: string) {
  const known = packaged.get(path) ?? { sha: "", imports: new Set<string>() };
  packaged.set(path, known);
  return known;
}

function noteEdge(
  load: Load,
  parentUrl: string | undefined,
  { specifier, target }: { readonly specifier: string; readonly target: string },
): void {
  if (!parentUrl?.startsWith("file:")) return;
  const parent = fileURLToPath(parentUrl);
  if (isInPackage(parent)) {
    if (isInPackage(target)) packagedAt(parent).imports.add(target);
    return;
  }
  if (load.isSealed) return;
  if (isInPackage(target)) load.packages.add(target);
  const edges = load.edges.get(parent) ?? new Map<string, string>();
  load.edges.set(parent, edges.set(specifier, target));
}

/** Reads what the files may import later, and what that may. */
function readLater(load: Load): void {
  const queue = [...load.files.keys()];
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    for (const specifier of findSpecifiers(load.files.get(path)?.text ?? "")) {
      const target = resolveFrom(path, specifier);
      if (target === undefined) continue;
      noteEdge(load, pathToFileURL(path).href, { specifier: specifier.text, target });
      if (isInPackage(target) || load.files.has(target)) continue;
      load.stamps.set(target, stampOf(target));
      const content = readFileSync(target);
      take(load, target, { sha: sha256Of(content), text: () => content.toString("utf8") });
      queue.push(target);
    }
  }
}

/** Files by content and by where their specifiers led; each package by its own description and what was loaded of it. */
function codeOf(load: Load): FreshModule["code"] {
  const nameOf = (path: string) => relative(load.root, path).replaceAll(sep, "/");
  const files = [...load.files].map(([path, { sha }]) => {
    const led = [...(load.edges.get(path) ?? [])].map(([specifier, target]) => [specifier, labelOf(target, nameOf)]).sort(byText);
    return [nameOf(path), sha256Of(JSON.stringify([sha, led]))] as const;
  });
  const byPackage = new Map<string, string[]>();
  for (const path of reachOf(load.packages)) {
    const folder = packageOf(path);
    const parts = byPackage.get(folder) ?? [`package.json ${sha256IfThere(join(folder, "package.json"))}`];
    byPackage.set(folder, [...parts, `${relative(folder, path)} ${packaged.get(path)?.sha || sha256IfThere(path)}`]);
  }
  const packages = [...byPackage].map(([folder, parts]) => [nameOf(folder), sha256Of(parts.sort().join("\n"))] as const);
  return [...files, ...packages].sort(byText);
}

const byText = (a: readonly (string | undefined)[], b: readonly (string | undefined)[]) => (String(a[0]) < String(b[0]) ? -1 : 1);

/** Labels a file by its path, and a package by its name: which file of it says its own mark. */
function labelOf(target: string, nameOf: (path: string) => string): string {
  if (!target.startsWith(sep) && !/^[A-Za-z]:\\/.test(target)) return target;
  return nameOf(isInPackage(target) ? packageOf(target) : target);
}

function reachOf(start: ReadonlySet<string>): ReadonlySet<string> {
  const reached = new Set(start);
  for (const path of reached) for (const next of packaged.get(path)?.imports ?? []) reached.add(next);
  return reached;
}

function sha256IfThere(path: string): string {
  return existsSync(path) ? sha256Of(readFileSync(path)) : "missing";
}

interface Located {
  readonly resolved: ReturnType<Resolve>;
  /** True for what this program provides. */
  readonly isOwn: boolean;
}

function locate(specifier: string, context: Parameters<Resolve>[1], next: Parameters<Resolve>[2]): Located {
  try {
    const resolved = next(specifier, context);
    return { resolved, isOwn: shared.test(specifier) && resolved.url === ownUrlOf(specifier, context, next) };
  } catch (error) {
    if (!provided.test(specifier)) throw error;
    return { resolved: next(specifier, { ...context, parentURL: import.meta.url }), isOwn: true };
  }
}

function ownUrlOf(specifier: string, context: Parameters<Resolve>[1], next: Parameters<Resolve>[2]): string | undefined {
  try {
    return next(specifier, { ...context, parentURL: import.meta.url }).url;
  } catch {
    return undefined;
  }
}

function ownPathOf(specifier: string): string | undefined {
  try {
    return createRequire(import.meta.url).resolve(specifier);
  } catch {
    return undefined;
  }
}

function answerProbe(specifier: string, context: Parameters<Resolve>[1], next: Parameters<Resolve>[2]): ReturnType<Resolve> {
  const { text, path } = JSON.parse(decodeURIComponent(specifier.slice(probe.length))) as { text: string; path: string };
  const { resolved, isOwn } = locate(text, { ...context, parentURL: pathToFileURL(path).href }, next);
  return isOwn ? { url: "toolwright-own:", format: "builtin", shortCircuit: true } : resolved;
}

/** Tool files are modules, whatever package.json stands above them, or none. */
function formatOf(path: string): "module" | "module-typescript" | undefined {
  if (/\.m?ts$/.test(path)) return "module-typescript";
  return path.endsWith(".tool.js") ? "module" : undefined;
}

/** Folders outside `root` that hold files of the module. */
export function foldersBeside(root: string, { stamps }: Pick<FreshModule, "stamps">): readonly string[] {
  const outside = [...stamps.keys()].filter((path) => relative(root, path).startsWith(".."));
  return [...new Set(outside.map((path) => dirname(path)))];
}
