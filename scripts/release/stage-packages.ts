import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { runCommand } from "./run-command.ts";

/** Copies the built packages to a folder and raises their versions there: the files of the clone stay as they are. */
export async function stagePackages(root: string, stage: string): Promise<void> {
  mkdirSync(stage, { recursive: true });
  const filter = (path: string) => basename(path) !== "node_modules";
  for (const name of ["package.json", "package-lock.json", ".changeset", "packages"])
    cpSync(join(root, name), join(stage, name), { recursive: true, filter });
  symlinkSync(join(root, "node_modules"), join(stage, "node_modules"));
  await runCommand(process.execPath, [changesetProgram(root), "version"], { cwd: stage });
}

export function changesetProgram(root: string): string {
  return join(root, "node_modules/@changesets/cli/bin.js");
}
