import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { isInside } from "../exec/confine-workdir.ts";
import { compileName, hasWildcard, type PatternRules, withoutEscapes } from "./name-pattern.ts";

/** What all patterns of one line may take together. */
interface PatternBudget {
  /** Names of folders that are read. */
  names: number;
  /** Paths that patterns stand for. */
  paths: number;
}

export const newPatternBudget = (): PatternBudget => ({ names: 200_000, paths: 10_000 });

interface PatternStart extends PatternRules {
  /** Real path of the workspace; nothing outside is read, wherever links lead. */
  readonly root: string;
  /** Absolute path of the folder that the pattern starts from. */
  readonly base: string;
  readonly budget: PatternBudget;
  /** Hears of each folder on the way that lies outside. */
  readonly onOutside?: (path: string) => void;
}

/** The paths that a pattern without braces stands for now. Undefined when there are more than are looked at. */
export async function expandPattern(pattern: string, place: PatternStart): Promise<readonly string[] | undefined> {
  const segments = pattern.split("/");
  const isAbsolute = pattern.startsWith("/");
  let paths = [isAbsolute ? "" : place.base];
  for (const segment of segments) {
    if (segment === "") continue;
    if (!hasWildcard(segment)) paths = paths.map((path) => `${path}/${withoutEscapes(segment)}`);
    else if (segment === "**" && place.generous) paths = [...paths, ...(await namesBelow(paths, place))];
    else paths = await namesIn(paths, segment, place);
    if (place.budget.names < 0 || paths.length > place.budget.paths) return undefined;
  }
  const there: string[] = [];
  for (const path of paths) if (await lstat(path).catch(() => undefined)) there.push(path);
  place.budget.paths -= there.length;
  return there;
}

async function namesIn(paths: readonly string[], segment: string, place: PatternStart): Promise<string[]> {
  const fits = compileName(segment, place);
  const found: string[] = [];
  for (const path of paths) {
    if (place.budget.names < 0) break;
    for (const name of await readNames(path, place)) if (fits(name)) found.push(`${path}/${name}`);
  }
  return found;
}

/** Everything below, links to folders not entered. */
async function namesBelow(paths: readonly string[], place: PatternStart): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined && place.budget.names >= 0; path = waiting.pop()) {
    for (const name of await readNames(path, place)) {
      const below = `${path}/${name}`;
      found.push(below);
      if ((await lstat(below).catch(() => undefined))?.isDirectory()) waiting.push(below);
    }
  }
  return found;
}

async function readNames(path: string, { root, budget, onOutside }: PatternStart): Promise<readonly string[]> {
  const real = await realpath(path === "" ? "/" : path).catch(() => undefined);
  if (real === undefined) return [];
  if (!isInside(root, real)) {
    if ((await stat(real).catch(() => undefined))?.isDirectory()) onOutside?.(path);
    return [];
  }
  const names = await readdir(real).catch(() => []);
  budget.names -= names.length;
  return names.sort();
}
