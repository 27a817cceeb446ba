import type { InnerCommand } from "../read/unwrap-command.ts";
import { isFolderBelow } from "../rules/command-pattern.ts";

/** What earlier commands of the line, or the call's folder, mean for a later one. */
export interface LineState {
  /**
   * Every folder that it may run in, relative to the workspace's root, which is "": more than one after a `cd` that may have failed.
   * Undefined when it may be one that the text does not name, which may be outside.
   */
  readonly folders: readonly string[] | undefined;
  /** A file was put in place that it may run. */
  readonly placed: boolean;
}

const most = 16;

/** The folder that a command runs in; undefined when that is not certain. */
export function onlyFolder({ folders }: LineState): string | undefined {
  return folders?.length === 1 ? folders[0] : undefined;
}

const dependencies: ReadonlySet<string> = new Set("node_modules vendor third_party bower_components site-packages".split(" "));

/** True when each folder that it may run in holds the project itself: what others wrote and only lies there is none of it. */
export function isInProject({ folders }: LineState): boolean {
  return folders?.every((folder) => !folder.split("/").some((name) => dependencies.has(name.toLowerCase()))) === true;
}

/** The folder of a call, before the first command. */
export function startIn(workdir: string): LineState["folders"] {
  const folder = readFolder(workdir);
  return folder === undefined ? undefined : [folder];
}

/** Where a line is after a command that changes the folder. What runs only if it succeeded is there, anything else may be where it was. */
export function enterFolder(from: LineState["folders"], { argv, levels, leads }: InnerCommand): LineState["folders"] {
  const [, target] = argv;
  if (from === undefined || !target || argv.length !== 2 || target.glob || target.tilde) return undefined;
  const below = readFolder(target.text);
  if (below === undefined) return undefined;
  const entered = below === "" ? from : from.map((folder) => (folder === "" ? below : `${folder}/${below}`));
  const folders = leads && levels.length === 1 ? entered : [...new Set([...from, ...entered])];
  return folders.length > most ? undefined : folders;
}

/** A folder relative to the one before, "" for that itself; undefined when its text does not say which one it is. */
function readFolder(text: string): string | undefined {
  if (/^(?:\.\/?)?$/.test(text)) return "";
  return isFolderBelow(text) && /^[\w@.+/-]+$/.test(text) ? text.replace(/^\.\/|\/$/g, "") : undefined;
}
