import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** One by one: Node's recursive way never ends where nothing can be made in a folder that is there, as in /proc. */
export function makeFolder(path: string, mode?: number): void {
  const parent = dirname(path);
  if (parent !== path && !existsSync(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
