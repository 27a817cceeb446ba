import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type ImplicitCode, implicitCode } from "@toolwright/commands";
import { isInside } from "./confine-workdir.ts";
import { wordsOf } from "./words-of-command.ts";

const maxManifestBytes = 1024 * 1024;
/** Packages of one workspace. */
export const maxMembers = 2000;
/** `cd "$DIR"`, `pushd ~`, `cd -`: where the line goes on is known when it runs. */
const computedFolder = /(?:^|[\s"'{])(?:popd\b|(?:cd|pushd)(?:\s+-[LPe@-]+)*\s+["']{0,4}(?:-["']?\s*$|[^\s$`*?[{~]*[$`*?[{~]))/;

/** The programs of a line that run more than the line names, by what is known of them. */
export function findImplicit(words: Iterable<string>): readonly ImplicitCode[] {
  const found = [...words].flatMap((word) => {
    const name = word.slice(word.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|bat|sh)$/i, "");
    return implicitCode.get(name) ?? implicitCode.get(name.replace(/-?(?<![\d.])\d[\d.]*$/, "")) ?? [];
  });
  return [...new Set(found)];
}

/** Why it is not known before the line runs where its programs look for their files; undefined when it is. */
export function findUnsettled(command: string): string | undefined {
  // Split without regard to quotes: a part too many only asks for plainer words.
  const parts = command.split(/[;&|\n()]/);
  if (!parts.some((part) => computedFolder.test(part) || hasComputedOption(part))) return undefined;
  return "What this command runs depends on a folder or file whose name is only known while it runs (a variable, substitution, wildcard, ~ or -), so a yes to it would say nothing. Write out the folder, relative to the workspace, and make the call again.";
}

function hasComputedOption(part: string): boolean {
  const options = findImplicit(wordsOf(part)).flatMap(({ options = [] }) => options);
  return options.length > 0 && new RegExp(`\\s(?:${options.join("|")})[\\s=]{0,8}["']{0,4}[^\\s$\`*?[{~]*[$\`*?[{~]`).test(part);
}

/** Where programs look: the folders, and all above them up to the workspace. */
export function foldersToLook(root: string, folders: Iterable<string>): ReadonlySet<string> {
  const places = new Set<string>();
  for (const folder of folders)
    for (let place = folder; isInside(root, place) && !places.has(place); place = dirname(place)) places.add(place);
  return places;
}

/** Paths that the programs may read as code, there or not: what is missing now may be there later. */
export async function candidatesIn(place: string, programs: readonly ImplicitCode[], words: Iterable<string>): Promise<readonly string[]> {
  const names = [...new Set(programs.flatMap(({ files = [] }) => files))];
  const patterns = names.filter((name) => name.includes("*")).map(toPattern);
  const present = patterns.length > 0 ? await readdir(place).catch(() => []) : [];
  return [
    ...names.filter((name) => !name.includes("*")),
    ...present.filter((name) => patterns.some((pattern) => pattern.test(name))).sort(),
    ...programs.flatMap((program) => meantBy(program, words)),
  ].map((name) => join(place, name));
}

const toPattern = (name: string) =>
  new RegExp(
    `^${name
      .split("*")
      .map((part) => part.replace(/[.\\+?^${}()|[\]]/g, "\\$&"))
      .join(".*")}$`,
  );

function meantBy({ words: templates = [], dotted }: ImplicitCode, words: Iterable<string>): readonly string[] {
  if (templates.length === 0) return [];
  const names = [...words].filter((word) => /^[\w@.][\w@./-]*$/.test(word)).map((word) => (dotted ? word.replaceAll(".", "/") : word));
  return templates.flatMap((template) => names.map((name) => template.replace("{}", () => name)));
}

/** The folders of the packages that a package.json, or pnpm-workspace.yaml, counts as its own. More than `maxMembers` are too many. */
export async function memberFolders(place: string): Promise<readonly string[]> {
  const manifest = await readManifest(place);
  const { workspaces } = manifest;
  const named: unknown = Array.isArray(workspaces)
    ? workspaces
    : (workspaces as { readonly packages?: unknown } | null | undefined)?.packages;
  const list = await readFile(join(place, "pnpm-workspace.yaml"), "utf8").catch(() => "");
  const patterns = [...(Array.isArray(named) ? named : []), ...[...list.matchAll(/^[ \t]*-\s+["']?([^"'#\s]+)/gm)].map(([, text]) => text)];
  const folders = new Set<string>();
  for (const pattern of patterns) if (typeof pattern === "string") for (const folder of await expand(place, pattern)) folders.add(folder);
  return [...folders];
}

/** Folders that a pattern of workspaces names; a part with a wildcard stands for any folder, `**` for some levels of them. */
async function expand(place: string, pattern: string): Promise<readonly string[]> {
  if (pattern.split("/").includes("..")) return [];
  let folders = [place];
  for (const part of pattern.split("/").filter((part) => part !== "" && part !== ".")) {
    if (!part.includes("*")) folders = folders.map((folder) => join(folder, part));
    else if (part === "**") folders = [...folders, ...(await below(folders)), ...(await below(await below(folders)))];
    else folders = await below(folders);
  }
  return folders;
}

async function below(folders: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    if (found.length > maxMembers) break;
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries)
      if (!entry.isFile() && entry.name !== "node_modules" && !entry.name.startsWith(".")) found.push(join(folder, entry.name));
  }
  return found;
}

/** The words of the scripts that a package.json holds. None when it cannot be read: its content counts all the same. */
export async function wordsOfScripts(places: Iterable<string>): Promise<readonly string[]> {
  const words: string[] = [];
  for (const place of places) {
    const { scripts } = await readManifest(place);
    if (typeof scripts !== "object" || scripts === null) continue;
    for (const script of Object.values(scripts)) if (typeof script === "string") words.push(...wordsOf(script));
  }
  return words;
}

/** Scripts that a package manager starts by itself when it installs. */
const whenInstalling = /^(?:pre|post)?(?:install|prepare|prepublish|dependencies)$/;
const aliases: ReadonlyMap<string, string> = new Map([
  ["t", "test"],
  ["tst", "test"],
  ["i", "install"],
  ["ci", "install"],
  ["add", "install"],
]);

/** The scripts of package.json files that the words name, with the folder each runs in; also those that such scripts name. */
export async function scriptsOf(
  places: Iterable<string>,
  words: Iterable<string>,
): Promise<readonly (readonly [folder: string, script: string])[]> {
  const named = new Set([...words].flatMap((word) => [word, aliases.get(word) ?? word]));
  if (findImplicit(named).every(({ scripts }) => !scripts)) return [];
  const found = new Map<string, readonly [string, string]>();
  const manifests: (readonly [string, object])[] = [];
  for (const place of places) {
    const { scripts } = await readManifest(place);
    if (typeof scripts === "object" && scripts !== null) manifests.push([place, scripts]);
  }
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [place, scripts] of manifests) {
      for (const [name, script] of Object.entries(scripts)) {
        const key = `${place}\0${name}`;
        if (typeof script !== "string" || found.has(key) || !isNamed(name, named)) continue;
        found.set(key, [place, script]);
        for (const word of wordsOf(script)) named.add(word);
      }
    }
  }
  return [...found.values()];
}

function isNamed(name: string, words: ReadonlySet<string>): boolean {
  const stem = name.replace(/^(?:pre|post)/, "");
  return words.has(name) || words.has(stem) || (words.has("install") && whenInstalling.test(name));
}

interface Manifest {
  readonly scripts?: unknown;
  readonly workspaces?: unknown;
}

async function readManifest(place: string): Promise<Manifest> {
  const text = await readFile(join(place, "package.json"), "utf8").catch(() => "");
  if (text.length > maxManifestBytes) return {};
  try {
    return (JSON.parse(text) as Manifest | null) ?? {};
  } catch {
    return {};
  }
}
