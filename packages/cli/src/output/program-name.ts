import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Io } from "../io.ts";
import { programFile as own } from "../program-file.ts";
import { shellWord } from "./shell-word.ts";

/** How this program is typed in the folder and the shell of whoever reads it: by name, through npx, or by its path. */
export function programName({ env, cwd }: Pick<Io, "env" | "cwd">): string {
  if (isOnPath(env)) return "toolwright";
  return isOwn(join(cwd, "node_modules", ".bin", "toolwright")) ? "npx toolwright" : shellWord(installed());
}

/** The command by its path, for places where the current folder is unknown, such as the window of a client. */
export function programPath({ env }: Pick<Io, "env">): string {
  return isOnPath(env) ? "toolwright" : shellWord(installed());
}

/** Where npm put it for whoever runs it by path, else the file itself. */
function installed(folder = dirname(own)): string {
  const linked = join(folder, "node_modules", ".bin", "toolwright");
  if (isOwn(linked)) return linked;
  return dirname(folder) === folder ? own : installed(dirname(folder));
}

/** npm puts folders of its own on the path of what it runs, which the shell of a person does not have. */
function isOnPath({ PATH = "", ...env }: Io["env"]): boolean {
  const isByNpm = env.npm_execpath !== undefined || env.npm_command !== undefined;
  const folders = PATH.split(delimiter).filter((folder) => !isByNpm || !/[\\/]node_modules[\\/]\.bin$|node-gyp-bin$/.test(folder));
  const found = folders.map((folder) => join(folder, "toolwright")).find(isProgram);
  return found !== undefined && isOwn(found);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const isOwn = (path: string) => existsSync(path) && realpathSync(path) === own;
