import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openDatabase } from "../open-store.ts";
import { readSearchAids } from "../search/search-aids.ts";
import { openTestDatabase, productDatabaseKinds } from "../testing/index.ts";
import { noVectors } from "../vectors/stored-vectors.ts";
import { createPostgresMemories } from "./postgres-memories.ts";

const main = fileURLToPath(new URL("../testing/memory-process-main.ts", import.meta.url));
const owner = { tenant: "acme", owner: "agent:a" };

async function run(place: string, name: string): Promise<void> {
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", main, place, name], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
}

describe.each(productDatabaseKinds)("saves from four processes, %s", (kind) => {
  it("are kept, all 200: each entry, and each version of the one that all of them write", async () => {
    const test = await openTestDatabase(kind);
    const place = test.url ?? test.folder ?? "";
    await test.database.close();
    try {
      await Promise.all(["p1", "p2", "p3", "p4"].map((name) => run(place, name)));
      const database = await openDatabase({ ...(test.url ? { url: place } : { folder: place }), process: "p5", holder: "a test" });
      const memories = createPostgresMemories(database, { findAids: () => readSearchAids(database), vectors: noVectors("None.") });
      expect(await memories.owners("acme")).toEqual([{ owner: owner.owner, count: 101 }]);
      const shared = await memories.get(owner, "shared", Date.now());
      expect(shared?.memory.version).toBe(100);
      expect(shared?.versions.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, at) => 100 - at));
      await database.close();
    } finally {
      await test.cleanup();
    }
  });
});
