import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { OperationTypes } from "@toolwright/engine/operations";
import { visibleText } from "@toolwright/engine/ports";
import { oneLine } from "@toolwright/server/text";
import { CliError } from "../../cli-error.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { Operate } from "../context/operate.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { tellResult } from "../context/tell-result.ts";
import type { TenantOptions } from "../context/with-store.ts";

interface MemoryOptions extends TenantOptions, RemoteOptions {
  readonly agent?: string;
  readonly user?: string;
  readonly key?: string;
  readonly category?: string;
}

type Entry = OperationTypes["memories.list"]["output"]["items"][number];
type Imported = OperationTypes["memories.import"]["input"]["items"];
type Category = NonNullable<OperationTypes["memories.list"]["input"]["category"]>;

const pageSize = 500;

export function list(io: Io, options: MemoryOptions): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => readAll(operate, options),
    (items) => {
      if (items.length === 0) io.out("There are no memories. See who has some with: toolwright memory owners\n");
      else io.out(`${renderTable(["key", "category", "trust", "saved", "content"], items.map(toRow), io.columns)}\n`);
    },
  );
}

export function owners(io: Io, options: MemoryOptions): Promise<number> {
  return tellResult(
    io,
    options,
    async (operate) => (await operate("memories.owners", {})).items,
    (items) => {
      if (items.length === 0) io.out("Nobody remembers anything.\n");
      else
        io.out(
          `${renderTable(
            ["owner", "memories"],
            items.map(({ owner, count }) => [oneLine(owner), `${count}`]),
            io.columns,
          )}\n`,
        );
    },
  );
}

export function show(io: Io, options: MemoryOptions, [key = ""]: readonly string[]): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => operate("memories.show", { owner: ownerOf(options), key }),
    (found) => io.out(`${describe(found)}\n`),
  );
}

export function save(io: Io, options: MemoryOptions, words: readonly string[]): Promise<number> {
  const { key, category } = options;
  if (category !== undefined && category !== "core" && category !== "daily")
    throw new CliError(`There is no category ${JSON.stringify(category)} to save in. Write core or daily.`);
  return tellResult(
    io,
    options,
    (operate) => operate("memories.save", { owner: ownerOf(options), key, category, content: words.join(" ") }),
    ({ key: saved, version }) => io.out(`${saved}${version === 1 ? "" : ` (version ${version})`}\n`),
  );
}

export function remove(io: Io, options: MemoryOptions, [key = ""]: readonly string[]): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => operate("memories.remove", { owner: ownerOf(options), key }),
    ({ removed }) => io.err(`Removed ${oneLine(key)} (${removed === 1 ? "1 version" : `${removed} versions`}).\n`),
  );
}

export function exportAll(io: Io, options: MemoryOptions): Promise<number> {
  return tellResult(
    io,
    options,
    (operate) => readAll(operate, options),
    (items) => io.out(items.map((item) => `${JSON.stringify(item)}\n`).join("")),
  );
}

export function importFile(io: Io, options: MemoryOptions, [file = ""]: readonly string[]): Promise<number> {
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

async function readAll(operate: Operate, options: MemoryOptions): Promise<readonly Entry[]> {
  const category = options.category as Category | undefined;
  const all: Entry[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await operate("memories.list", { owner: ownerOf(options), category, after, limit: pageSize });
    all.push(...items);
    after = next;
  } while (after !== undefined);
  return all;
}

function ownerOf({ agent, user }: MemoryOptions): string | undefined {
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

const day = (at: number) => new Date(at).toISOString().slice(0, 10);

function toRow({ key, category, trust, savedAt, content }: Entry): readonly string[] {
  return [oneLine(key), category, trust, day(savedAt), oneLine(content)];
}

function describe({ key, category, trust, expiresAt, sources, versions }: OperationTypes["memories.show"]["output"]): string {
  const places = sources.flatMap(({ place }) => place ?? []);
  return [
    `${oneLine(key)}: ${category}, ${trust}${expiresAt === undefined ? "" : `, expires ${day(expiresAt)}`}`,
    ...(places.length === 0 ? [] : [`From ${places.map(oneLine).join(", ")}`]),
    ...versions.map(
      ({ version, savedAt, by, content }) => `\nVersion ${version}, ${day(savedAt)}, ${by.kind} ${oneLine(by.id)}\n${visibleText(content)}`,
    ),
  ].join("\n");
}
