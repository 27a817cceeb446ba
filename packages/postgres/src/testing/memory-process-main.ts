// A process on a store: saves 25 entries of its own, and 25 versions of one entry, all at once.

import { createPostgresMemories } from "../memories/postgres-memories.ts";
import { openDatabase } from "../open-store.ts";
import { readSearchAids } from "../search/search-aids.ts";
import { noVectors } from "../vectors/stored-vectors.ts";

const [place = "", name = ""] = process.argv.slice(2);
const where = place.includes("://") ? { url: place } : { folder: place };
const database = await openDatabase({ ...where, process: name, holder: name });
const memories = createPostgresMemories(database, { findAids: () => readSearchAids(database), vectors: noVectors("None.") });
const owner = { tenant: "acme", owner: "agent:a" };
const by = { kind: "agent", id: name } as const;
const save = (key: string, content: string) => {
  const index = { folded: content, names: "", language: "english" };
  return memories.save(owner, { key, content, category: "core", trust: "agent", sources: [], savedAt: Date.now(), by, index });
};
const numbers = Array.from({ length: 25 }, (_, at) => at);
await Promise.all(numbers.flatMap((at) => [save(`${name}-${at}`, `fact ${at} of ${name}`), save("shared", `${name} ${at}`)]));
await database.close();
