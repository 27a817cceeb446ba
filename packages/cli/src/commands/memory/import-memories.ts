import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { OperationTypes } from "@toolwright/engine/operations";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { tellResult } from "../context/tell-result.ts";
import type { TenantOptions } from "../context/with-store.ts";

interface ImportOptions extends TenantOptions, RemoteOptions {
  readonly agent?: string;
  readonly user?: string;
}

type Entry = OperationTypes["memories.list"]["output"]["items"][number];
type Imported = OperationTypes["memories.import"]["input"]["items"];

/** What one operation takes. */
const pageSize = 500;

export function importMemories(io: Io, options: ImportOptions, [file = ""]: readonly string[]): Promise<number> {
  const items = readItems(resolve(io.cwd, file));
  return tellResult(
    io,
    options,
    async (operate) => {
      const sums = { saved: 0, unchanged: 0 };
      for (let at = 0; at < items.length; at += pageSize) {
        const { saved, unchanged } = await operate("memories.import", { owner: ownerOf(options), items: items.slice(at, at + pageSize) });
        sums.saved += saved;
        sums.unchanged += unchanged;
      }
      return sums;
    },
    ({ saved, unchanged }) => io.err(`Saved ${saved}; ${unchanged} were there already.\n`),
  );
}

function ownerOf({ agent, user }: ImportOptions): string | undefined {
  if (agent !== undefined && user !== undefined) throw new CliError("An entry belongs to an agent or to a person. Give --agent or --user.");
  if (agent !== undefined) return `agent:${agent}`;
  return user === undefined ? undefined : `user:${user}`;
}

/** Lines of JSON, or one list. Numbers of versions are counted anew where they are saved. */
function readItems(path: string): Imported {
  let text: string;
  try {
    text = readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new CliError(`${path} cannot be read (${(cause as NodeJS.ErrnoException).code}). Name a file that memory export has written.`);
  }
  try {
    const items = (
      text.startsWith("[")
        ? JSON.parse(text)
        : text
            .split("\n")
            .filter(Boolean)
            .map((line) => JSON.parse(line))
    ) as Entry[];
    return items.map(({ version: _, createdAt: __, ...item }) => ({ ...item, sources: [...(item.sources ?? [])] }));
  } catch {
    throw new CliError(`${path} holds no lines of JSON. Name a file that memory export has written.`);
  }
}
