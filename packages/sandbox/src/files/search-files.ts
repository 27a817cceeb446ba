import { quotePath } from "@toolwright/commands/targets";
import { type Files, ToolwrightError } from "@toolwright/engine";
import type { GrepQuery } from "@toolwright/engine/ports";
import { parseGlob } from "./glob-pattern.ts";
import { readMatches } from "./read-matches.ts";
import { commonOptions, narrowTo, runRipgrep, type SearchSite } from "./run-ripgrep.ts";
import { walk } from "./walk.ts";
import type { Workspace } from "./workspace.ts";

const defaultPaths = 1000;
const mostPaths = 10_000;
const defaultMatches = 200;
const mostMatches = 2000;
const mostContext = 10;

/** Where a search begins: resolved, because ripgrep follows a link that it is told to search. */
interface Start {
  readonly path: string;
  readonly isFolder: boolean;
  /** Real path of the workspace on the host. */
  readonly root: string;
}

/** Paths of files that match a glob, sorted; at most `limit` (default 1,000, most 10,000). */
export async function findFiles(
  workspace: Workspace,
  place: SearchSite,
  query: { readonly pattern: string; readonly path?: string; readonly limit?: number },
): ReturnType<Files["glob"]> {
  const glob = parseGlob(query.pattern);
  const start = findStart(workspace, query.path);
  const limit = Math.min(query.limit ?? defaultPaths, mostPaths);
  const paths: string[] = [];
  let truncated = false;
  const args = ["--files", "--null", ...commonOptions, ...narrowTo(glob), "--", `./${start.path}`];
  const { complete } = await runRipgrep({ ...place, workspace: start.root }, args, {
    separator: "\0",
    take(record) {
      const path = relativeTo(start, record);
      if (!glob.matches(path.below) || !mayShow(workspace, path.whole)) return true;
      truncated = paths.length >= limit;
      if (!truncated) paths.push(path.whole);
      return !truncated;
    },
  });
  return { paths, truncated: truncated || !complete };
}

/**
 * Finds lines. Ripgrep only says where they are; their text is read through the same door as any other file, so that a link put
 * in place meanwhile, a hard link or a credential file gives nothing away.
 */
export async function grepFiles(workspace: Workspace, place: SearchSite, query: GrepQuery): ReturnType<Files["grep"]> {
  const glob = query.glob === undefined ? undefined : parseGlob(query.glob);
  if (/[\n\0]/.test(query.pattern))
    throw new ToolwrightError("invalid_input", "The pattern holds a line break or NUL; search line by line.");
  const start = findStart(workspace, query.path);
  const limit = Math.min(query.maxMatches ?? defaultMatches, mostMatches);
  const found = new Map<string, number[]>();
  let count = 0;
  let truncated = false;
  const { complete } = await runRipgrep({ ...place, workspace: start.root }, grepArguments(workspace, query, start), {
    separator: "\n",
    take(record) {
      const match = parseMatch(record);
      if (!match) return true;
      const path = relativeTo(start, match.path);
      if ((glob && !glob.matches(path.below)) || !mayShow(workspace, path.whole)) return true;
      truncated = count >= limit;
      if (truncated) return false;
      count += 1;
      found.set(path.whole, [...(found.get(path.whole) ?? []), match.line]);
      return true;
    },
  });
  const read = await readMatches(workspace, found, Math.min(query.context ?? 0, mostContext));
  return { matches: read.matches, truncated: truncated || !complete || !read.complete };
}

function grepArguments({ maxFileBytes }: Workspace, query: GrepQuery, start: Start): string[] {
  return [
    ["--json", `--max-filesize=${maxFileBytes}`, ...commonOptions],
    query.glob === undefined ? [] : narrowTo(parseGlob(query.glob)),
    query.literal ? ["--fixed-strings"] : [],
    [query.ignoreCase ? "--ignore-case" : "--case-sensitive"],
    ["--", query.pattern, `./${start.path}`],
  ].flat();
}

function findStart(workspace: Workspace, path = "."): Start {
  using spot = walk(workspace, path, { access: "read", follow: true });
  const { entry } = spot;
  if (!entry?.isDirectory() && !entry?.isFile())
    throw new ToolwrightError(
      entry ? "not_a_file" : "file_not_found",
      `${quotePath(spot.path)} is no file or folder to search in; list the folder above it.`,
    );
  return { path: spot.path, isFolder: entry.isDirectory(), root: spot.root };
}

/** The path in the workspace, and below the place where the search began: globs speak of the latter. */
function relativeTo(start: Start, output: string): { readonly whole: string; readonly below: string } {
  const whole = output.replace(/^\.\//, "");
  const below = start.path === "" ? whole : whole.slice(start.path.length + 1);
  return { whole, below: start.isFolder ? below : whole.slice(whole.lastIndexOf("/") + 1) };
}

/** Leaves out what could not be read by this path anyway: protected and forbidden paths, links, and names that are not plain text. */
function mayShow(workspace: Workspace, path: string): boolean {
  try {
    walk(workspace, path, { access: "read", follow: false })[Symbol.dispose]();
    return true;
  } catch {
    return false;
  }
}

/** A match in the JSON Lines of ripgrep ("message type: match"). A path that is not UTF-8 has no name here and is left out. */
function parseMatch(record: string): { readonly path: string; readonly line: number } | undefined {
  if (!record.startsWith('{"type":"match"')) return undefined;
  const { data } = JSON.parse(record) as { data: { path: { text?: string }; line_number: number | null } };
  return data.path.text === undefined || data.line_number === null ? undefined : { path: data.path.text, line: data.line_number };
}
