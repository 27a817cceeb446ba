import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { ToolwrightError } from "@toolwright/engine";

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

/**
 * The folder to run in, relative to the workspace, with all links resolved; "." for the workspace itself.
 * Rejects with `path_refused`, `file_not_found`, `not_a_file` or `workspace_missing`; no message holds a host path.
 */
export async function confineWorkdir(workspace: string, workdir: string | null | undefined): Promise<string> {
  const root = await realpath(workspace).catch((cause: unknown) => {
    throw new ToolwrightError("workspace_missing", "The workspace folder is gone.", { cause });
  });
  const wanted = workdir ?? ".";
  if (unprintable.test(wanted)) throw refuse("The working directory holds control or invisible characters.");
  if (wanted === "" || wanted.startsWith("~")) throw refuse(`The working directory "${wanted}" is not a path inside the workspace.`);
  if (wanted.split("/").includes("..")) throw refuse(`The working directory "${wanted}" holds "..".`);
  const path = isAbsolute(wanted) ? wanted : join(root, wanted);
  const real = isInside(root, path) || isInside(workspace, path) ? await resolveFolder(path, wanted) : undefined;
  if (real === undefined || !isInside(root, real)) throw refuse(`The working directory "${wanted}" is outside the workspace.`);
  return relative(root, real) || ".";
}

async function resolveFolder(path: string, shown: string): Promise<string> {
  const real = await realpath(path).catch((cause: unknown) => {
    throw new ToolwrightError("file_not_found", `There is no folder "${shown}" in the workspace to run in.`, { cause });
  });
  if (!(await stat(real)).isDirectory()) throw new ToolwrightError("not_a_file", `The working directory "${shown}" is not a folder.`);
  return real;
}

/** The words of a refusal, or undefined where there is none. */
export async function explainRefusal(attempt: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Compares texts; both are absolute. */
export function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function refuse(problem: string): ToolwrightError {
  return new ToolwrightError("path_refused", `${problem} Give a folder relative to the workspace, such as "packages/app".`);
}

/** `cd FOLDER`, with or without quotes. */
const move = /(?:^|[\s;&|({])cd[ \t]+(?:'([^'\n]+)'|"([^"\n]+)"|([^\s;&|<>(){}'"]+))/g;
/** The policy takes such a folder for one of the workspace, by its text. */
const isBelow = (folder: string, roots: readonly string[]) =>
  !/^[~-]/.test(folder) && !folder.split("/").includes("..") && (!isAbsolute(folder) || roots.some((root) => isInside(root, folder)));

/**
 * Rejects with `command_refused` when a folder that the command enters, and that reads like one of the workspace, is a link that leads out
 * of it. What is not there is left to the command.
 * @param workdir - where the command begins, relative to the workspace.
 */
export async function confineMoves(workspace: string, workdir: string, command: string): Promise<void> {
  if (!command.includes("cd")) return;
  const root = await realpath(workspace);
  let places = [join(root, workdir)];
  for (const [, single, double, plain = ""] of command.matchAll(move)) {
    const folder = single ?? double ?? plain.replaceAll("\\", "");
    if (!isBelow(folder, [root, workspace])) continue;
    const entered = await Promise.all(places.map((place) => realpath(resolve(place, folder)).catch(() => undefined)));
    if (entered.some((place) => place !== undefined && !isInside(root, place))) {
      throw new ToolwrightError(
        "command_refused",
        `The command enters ${JSON.stringify(folder)}, a link that leads out of the workspace. Name a folder inside the workspace.`,
      );
    }
    places = [...new Set([...places, ...entered.filter((place) => place !== undefined)])].slice(-8);
  }
}
