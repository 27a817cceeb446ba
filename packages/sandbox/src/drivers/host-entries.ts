import { accessSync, constants, realpathSync, statSync } from "node:fs";

/** The real path of a folder, or undefined. */
export function findFolder(path: string): string | undefined {
  try {
    const found = realpathSync(path);
    return statSync(found).isDirectory() ? found : undefined;
  } catch {
    return undefined;
  }
}

/** True for a file that this process may execute. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
