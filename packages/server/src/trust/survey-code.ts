import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { join, sep } from "node:path";
import { SettingsError } from "../settings-error.ts";
import { describeSystemError } from "../text/system-words.ts";
import { findSpecifiers } from "../tool-folder/find-specifiers.ts";
import { isInPackage, packageOf, resolveFrom, sha256Of } from "../tool-folder/module-hooks.ts";

const maxFiles = 20_000;
const maxBytes = 256 << 20;
const code = /\.(?:[cm]?[jt]s|json|node|wasm)$/;
const text = /\.[cm]?[jt]s$/;

/** Every file that may run when tools are loaded and called, by real path, with its SHA-256. Packages count whole. */
export type CodeSurvey = ReadonlyMap<string, string>;

/** Reads what tool files are made of. Nothing of it is executed. Throws for more than can be held still. */
export function surveyCode(root: string, toolFiles: readonly string[]): CodeSurvey {
  const found = new Map<string, string>();
  const packages = new Set<string>();
  const queue = toolFiles.map((file) => readable(join(root, file), (each) => realpathSync(each)));
  let bytes = 0;
  const take = (path: string): string => {
    const content = readable(path, (each) => readFileSync(each));
    bytes += content.length;
    found.set(path, sha256Of(content));
    if (found.size > maxFiles || bytes > maxBytes)
      throw new SettingsError(
        `The tools of ${root} and what they import are more than ${maxFiles} files or ${maxBytes >> 20} MiB, too much to hold still. Name the folder with --tools instead.`,
      );
    return content.toString("utf8");
  };
  for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
    if (found.has(path)) continue;
    if (!isInPackage(path)) {
      for (const specifier of findSpecifiers(take(path))) queue.push(...existing(resolveFrom(path, specifier)));
      continue;
    }
    const folder = packageOf(path);
    if (packages.has(folder)) continue;
    packages.add(folder);
    queue.push(...surveyPackage(folder, take));
  }
  return found;
}

function readable<Result>(path: string, read: (path: string) => Result): Result {
  try {
    return read(path);
  } catch (cause) {
    throw new SettingsError(`${path} cannot be read, so it cannot be trusted: ${describeSystemError(cause)}.`, { cause });
  }
}

/** Takes all code of a package; returns a file of each other package that it names. */
function surveyPackage(folder: string, take: (path: string) => string): readonly string[] {
  const named = new Map<string, string | undefined>();
  for (const path of codeBelow(folder)) {
    const content = take(path);
    if (!text.test(path)) continue;
    for (const specifier of findSpecifiers(content)) {
      const key = `${specifier.by} ${specifier.text}`;
      if (!specifier.text.startsWith(".") && !named.has(key)) named.set(key, resolveFrom(path, specifier));
    }
  }
  return [...named.values()].flatMap(existing);
}

const existing = (path: string | undefined) => (path === undefined ? [] : [path]);

/** Without the packages within, which count by themselves. */
function codeBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => ({ entry, path: join(entry.parentPath, entry.name) }))
    .filter(({ entry, path }) => entry.isFile() && code.test(entry.name) && !path.slice(folder.length).split(sep).includes("node_modules"))
    .map(({ path }) => path);
}
