import { readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { z } from "zod";
import { makeFolder } from "../state/make-folder.ts";
import { writeWhole } from "../state/write-whole.ts";
import { describeSystemError } from "../text/system-words.ts";
import { sha256Of } from "../tool-folder/module-hooks.ts";

const schema = z.strictObject({
  version: z.literal(1),
  /** Real path of the folder of tools. */
  folder: z.string(),
  at: z.iso.datetime(),
  /** The folder itself, where toolwright made it: what its user puts there is trusted. */
  made: z.strictObject({ inode: z.string(), birth: z.string() }).optional(),
  /** SHA-256 of every file that may run, by real path. */
  files: z.record(z.string(), z.string()),
});

export type TrustRecord = z.infer<typeof schema>;

/** Which code the user of this state folder trusts: one file a folder of tools, outside of what it speaks of. */
export interface TrustRecords {
  readonly folder: string;
  read(folder: string): TrustRecord | undefined;
  write(record: Pick<TrustRecord, "folder" | "made" | "files">): void;
  list(): readonly TrustRecord[];
  /** False when there was none. */
  remove(folder: string): boolean;
}

export function openTrustRecords(state: string): TrustRecords {
  const place = join(state, "trust");
  const fileOf = (folder: string) => join(place, `${sha256Of(folder)}.json`);
  const read = (file: string) => {
    try {
      return schema.parse(JSON.parse(readFileSync(file, "utf8")));
    } catch {
      // Unreadable is as good as none: then nothing is trusted.
      return undefined;
    }
  };
  return {
    folder: place,
    read(folder) {
      const record = read(fileOf(folder));
      return record?.folder === folder ? record : undefined;
    },
    write: ({ folder, made, files }) =>
      writable(place, () => {
        makeFolder(place, 0o700);
        const record: TrustRecord = { version: 1, folder, at: new Date().toISOString(), ...(made && { made }), files };
        writeWhole(fileOf(folder), `${JSON.stringify(record)}\n`, 0o600);
      }),
    list() {
      const names = statSync(place, { throwIfNoEntry: false }) ? readdirSync(place) : [];
      const records = names.filter((name) => name.endsWith(".json")).flatMap((name) => read(join(place, name)) ?? []);
      return records.sort((a, b) => (a.folder < b.folder ? -1 : 1));
    },
    remove: (folder) =>
      writable(place, () => {
        const isThere = statSync(fileOf(folder), { throwIfNoEntry: false }) !== undefined;
        rmSync(fileOf(folder), { force: true });
        return isThere;
      }),
  };
}

function writable<Result>(place: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const message = `What is trusted could not be written to ${place}: ${describeSystemError(cause)}. Nothing changed; name another state folder with TOOLWRIGHT_STATE.`;
    throw new ToolwrightError("server_unavailable", message, { cause });
  }
}

/** True for the very folder that toolwright made there. */
export function isMade(folder: string, record: TrustRecord | undefined): boolean {
  const now = identityOf(folder);
  return record?.made?.inode === now.inode && record.made.birth === now.birth;
}

/** Tells one folder from another one that stands in its place later. */
export function identityOf(folder: string): NonNullable<TrustRecord["made"]> {
  const { ino, birthtimeNs } = statSync(folder, { bigint: true });
  return { inode: String(ino), birth: String(birthtimeNs) };
}
