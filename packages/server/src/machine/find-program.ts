import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** Path of a program of the environment's PATH. */
export async function findProgram(name: string, env: Readonly<Record<string, string | undefined>>): Promise<string | undefined> {
  for (const folder of (env.PATH ?? "").split(delimiter).filter(isAbsolute)) {
    const path = join(folder, name);
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return undefined;
}
