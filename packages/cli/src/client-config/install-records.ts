import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, writeWhole } from "@toolwright/server/state";
import { z } from "zod";
import { type ClientScope, clientScopes } from "./mcp-clients.ts";

const schema = z.strictObject({
  version: z.literal(1),
  client: z.string(),
  scope: z.enum(clientScopes as [ClientScope, ...ClientScope[]]),
  /** Path of the configuration. */
  file: z.string(),
  name: z.string(),
  /** SHA-256 of the file as it was left. */
  written: z.string(),
  /** Path of the file as it was before the entry; none where there was no file, or where others wrote it between two installations. */
  copy: z.string().optional(),
  madeFile: z.boolean(),
  /** What stood under that name before, as JSON has it. */
  previous: z.unknown().optional(),
  madeSection: z.boolean(),
});

/** What an installation changed, so that it can be taken back. */
export type InstallRecord = z.infer<typeof schema>;

interface InstallRecords {
  read(file: string): InstallRecord | undefined;
  list(client: string): readonly InstallRecord[];
  write(record: InstallRecord): void;
  /** Keeps a configuration as it is now; its path. It may hold secrets, so nobody else may read it. */
  keepCopy(file: string, content: Uint8Array): string;
  remove(file: string): void;
}

export const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");

export function openInstallRecords(state: string): InstallRecords {
  const folder = join(state, "clients");
  const key = (file: string) => sha256(file).slice(0, 32);
  const recordOf = (file: string) => join(folder, `${key(file)}.json`);
  const read = (path: string) => {
    try {
      return schema.parse(JSON.parse(readFileSync(path, "utf8")));
    } catch {
      // Unreadable is as good as none: then nothing there is ours.
      return undefined;
    }
  };
  return {
    read: (file) => read(recordOf(file)),
    list(client) {
      try {
        const names = readdirSync(folder).filter((name) => name.endsWith(".json"));
        return names.flatMap((name) => read(join(folder, name)) ?? []).filter((record) => record.client === client);
      } catch {
        return [];
      }
    },
    write(record) {
      makeFolder(folder, 0o700);
      writeWhole(recordOf(record.file), `${JSON.stringify(record)}\n`, 0o600);
    },
    keepCopy(file, content) {
      makeFolder(folder, 0o700);
      const copy = join(folder, `${key(file)}.${sha256(content).slice(0, 12)}.copy`);
      writeWhole(copy, content, 0o600);
      return copy;
    },
    remove: (file) => rmSync(recordOf(file), { force: true }),
  };
}
