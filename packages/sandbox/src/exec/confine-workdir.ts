import { realpath, stat } from "node:fs/promises";
import { isAbsolute, join, relative, sep } from "node:path";
import { ToolwrightError } from "@toolwright/engine";

const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;

/**
 * The folder to run in, relative to the workspace, with all links resolved; "." for the workspace itself.
 * Rejects with `path_refused`, `file_not_found`, `not_a_file` or `workspace_missing`; no message holds a host path.
 */
export async function confineWorkdir(workspace: string, workdir: string | null | undefined): Promise<string> {
  const root = await realpath(workspace).catch((cause: unknown) => {
    throw new ToolwrightError("workspace_missing", "The workspace folder does not exist any more.", { cause });
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
