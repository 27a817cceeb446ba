import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describeSystemError } from "@toolwright/server/text";
import { CliError } from "../cli-error.ts";
import type { Io } from "../io.ts";

/** The Markdown in a file, or of stdin for "-"; undefined where none is named. */
export async function readInstructions(io: Io, file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  if (file === "-") return io.readStdin();
  return readFile(resolve(io.cwd, file), "utf8").catch((cause: unknown) => {
    throw new CliError(`The instructions ${file} cannot be read: ${describeSystemError(cause)}.`, { cause });
  });
}
