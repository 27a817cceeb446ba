import { readdir, readFile } from "node:fs/promises";
import { ToolwrightError } from "@toolwright/engine";
import { codeOf } from "./place-once.ts";

/** Undefined when there is no such file. */
export async function readJson<Value>(path: string): Promise<Value | undefined> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as Value;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new ToolwrightError(
      "internal",
      `${path} cannot be read: ${error instanceof Error ? error.message : error}. Remove it to go on without.`,
      { cause: error },
    );
  }
}

/** None when there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}
