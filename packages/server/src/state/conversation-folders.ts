import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RememberFolder } from "../workspaces.ts";
import { makeFolder } from "./make-folder.ts";

const fileOf = (state: string) => join(state, "conversation-folders.jsonl");

/**
 * Notes in the state folder of this machine in which folders agents had conversations, so that the files of an agent are found whatever the
 * settings of the command that deletes it. Each is noted once by a process.
 */
export function rememberFolders(state: string): RememberFolder {
  const noted = new Set<string>();
  return (tenant, folder) => {
    const line = JSON.stringify([tenant, folder]);
    if (noted.has(line)) return;
    if (!readFolders(state, tenant).includes(folder)) {
      makeFolder(state, 0o700);
      appendFileSync(fileOf(state), `${line}\n`, { mode: 0o600 });
    }
    noted.add(line);
  };
}

/** Those of a tenant, each once. */
export function readFolders(state: string, tenant: string): readonly string[] {
  const folders = readText(fileOf(state))
    .split("\n")
    .flatMap((line) => {
      const [of, folder] = readLine(line);
      return of === tenant && typeof folder === "string" ? [folder] : [];
    });
  return [...new Set(folders)];
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** A line that was cut off in the middle of writing names nothing. */
function readLine(line: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(line);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
