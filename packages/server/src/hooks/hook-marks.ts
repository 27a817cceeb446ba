import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { ForeignMark, ForeignMarks, SessionName } from "@toolwright/engine/ports";
import { createMemoryForeignMarks } from "@toolwright/engine/ports";
import { makeFolder } from "../state/make-folder.ts";
import { writeWhole } from "../state/write-whole.ts";

const folderOf = (state: string) => join(state, "marks");
const takenFile = "taken.json";

interface MarksTarget {
  /** Tells this store from others that the state folder was used with. */
  readonly name: string;
  readonly foreign: Pick<ForeignMarks, "add">;
}

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

/**
 * Brings those marks into a store. The files stay, as a process without the store reads them again; those that have not grown since the store of this
 * name took them in are left alone.
 */
export async function takeInHookMarks(state: string, { name: store, foreign }: MarksTarget): Promise<void> {
  const folder = folderOf(state);
  const all = readTaken(folder);
  const taken = all[store] ?? {};
  // Before a file is read: what is added meanwhile is taken in the next time.
  const grown = filesIn(folder)
    .map((name) => ({ name, size: statSync(join(folder, name)).size }))
    .filter(({ name, size }) => taken[name] !== size);
  if (grown.length === 0) return;
  for (const { name } of grown) for (const { session, marks } of linesOf(join(folder, name))) await foreign.add(session, marks);
  const sizes = Object.fromEntries(grown.map(({ name, size }) => [name, size]));
  writeWhole(join(folder, takenFile), JSON.stringify({ ...all, [store]: { ...taken, ...sizes } }), 0o600);
}

/** For each store, the bytes of each file when it was taken in. Empty where that cannot be read: a store that gets a mark again keeps it once. */
function readTaken(folder: string): Readonly<Record<string, Readonly<Record<string, number>>>> {
  try {
    return JSON.parse(readFileSync(join(folder, takenFile), "utf8"));
  } catch {
    return {};
  }
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
