import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ForeignMark, ForeignMarks, SessionName } from "@toolwright/engine/ports";
import { createMemoryForeignMarks } from "@toolwright/engine/ports";
import { makeFolder } from "../state/make-folder.ts";

const folderOf = (state: string) => join(state, "marks");

interface Line {
  readonly session: SessionName;
  readonly marks: readonly ForeignMark[];
}

/**
 * Marks of sessions in files of the state folder, one a session, for a process that cannot wait for the store: it adds a line in one write, and the next
 * process reads them. A line that was never written whole is skipped.
 */
export function createHookMarks(state: string): ForeignMarks {
  const folder = folderOf(state);
  const fileOf = ({ tenant, id }: SessionName) =>
    join(
      folder,
      `${createHash("sha256")
        .update(JSON.stringify([tenant, id]))
        .digest("hex")}.jsonl`,
    );
  return {
    async add(session, marks) {
      if (marks.length === 0) return;
      makeFolder(folder, 0o700);
      const file = openSync(fileOf(session), "a", 0o600);
      try {
        writeSync(file, `\n${JSON.stringify({ session, marks } satisfies Line)}\n`);
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },
    async of(tenant, sessions) {
      const read = createMemoryForeignMarks();
      for (const id of new Set(sessions)) for (const { marks } of linesOf(fileOf({ tenant, id }))) await read.add({ tenant, id }, marks);
      return read.of(tenant, sessions);
    },
  };
}

/** Brings those marks into a store. The files stay: a process without the store reads them again, and a store keeps each place once. */
export async function takeInHookMarks(state: string, foreign: Pick<ForeignMarks, "add">): Promise<void> {
  const folder = folderOf(state);
  for (const name of filesIn(folder)) for (const { session, marks } of linesOf(join(folder, name))) await foreign.add(session, marks);
}

function linesOf(file: string): readonly Line[] {
  return readText(file)
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    });
}

/** Empty for a file that is not there. */
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  } catch {
    return [];
  }
}
