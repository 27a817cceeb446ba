import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

const systemFolders = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
const systemRoots = ["/usr/", "/bin/", "/sbin/", "/opt/", "/nix/"];

/** The folder of the Node that runs this process: commands find the same one, wherever it was installed. */
export const nodeFolder = dirname(process.execPath);

/** Where a child looks for programs: folders that the operator's system owns, never the workspace (R-EX-8). */
export const programPath: readonly string[] = [nodeFolder, ...systemFolders.filter((folder) => folder !== nodeFolder)];

/** Host folders outside the system's own that a sandboxed child needs for Node and npm; nothing beside them is shown. */
export function nodeFolders(): string[] {
  if (systemRoots.some((root) => nodeFolder.startsWith(root))) return [];
  const modules = join(dirname(nodeFolder), "lib", "node_modules");
  return basename(nodeFolder) === "bin" && existsSync(modules) ? [nodeFolder, modules] : [nodeFolder];
}

/** First of the trusted folders that holds the program. */
export function findSystemProgram(name: string): string | undefined {
  return systemFolders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** bash, or sh where there is none. */
export function findShell(): string {
  return findSystemProgram("bash") ?? "/bin/sh";
}

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
