import { existsSync } from "node:fs";
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
