import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { createRandomIds, systemClock } from "@toolwright/engine/ports";
import { openStore } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { startDocuments } from "@toolwright/tools";
import { sql } from "kysely";
import { expect, it } from "vitest";

const sections = 250;
const text = Array.from({ length: sections }, (_, at) => `# Section ${at}\n\nThe machine number${at} is oiled ${"often ".repeat(30)}`).join(
  "\n\n",
);
const leaseMs = 30_000;

it("a reader that is killed while it writes leaves nothing of the document to a search, and another process reads it to its end", {
  timeout: 60_000,
}, async () => {
  const { url, drop } = await createServerDatabase();
  const child = spawn(
    process.execPath,
    ["--conditions=@toolwright/source", fileURLToPath(new URL("dying-reader.ts", import.meta.url)), url, text],
    { stdio: "inherit" },
  );
  const [, signal] = await once(child, "exit");
  expect(signal).toBe("SIGKILL");
  const store = await openStore({ url, process: "another", holder: "another process" });
  try {
    const { knowledge, database } = store;
    const search = () => knowledge.search("default", { words: ["machine"], codes: [], folded: "machine", language: "english" });
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from toolwright.chunks`.execute(database.owner);
    expect(rows[0]?.count).toBeGreaterThan(0);
    expect(rows[0]?.count).toBeLessThan(sections);
    const half = await search();
    expect([half.candidates, half.total, half.notSearched]).toEqual([
      [],
      0,
      [expect.objectContaining({ title: "Long.md", state: "reading" })],
    ]);
    expect(await knowledge.due({ now: Date.now(), limit: 9 })).toEqual([]);
    // As it is when the lease of the one that died is over.
    const clock = { ...systemClock, now: () => Date.now() + leaseMs };
    const stop = startDocuments({ store: knowledge, clock, ids: createRandomIds(), logger: { log: () => {} } });
    await expect
      .poll(async () => (await knowledge.list("default", {})).documents[0], { timeout: 30_000 })
      .toMatchObject({ state: "ready", version: 1, chunks: sections });
    await stop();
    expect((await search()).total).toBe(sections);
    const all = await sql<{ count: number }>`select count(*)::int as count from toolwright.chunks`.execute(database.owner);
    expect(all.rows[0]?.count).toBe(sections);
  } finally {
    await store.close();
    await drop();
  }
});
