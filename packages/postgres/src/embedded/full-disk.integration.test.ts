import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { createTestFolder } from "../testing/prepare-test-databases.ts";
import { openProbeEngine } from "../testing/probe-engine.ts";
import { mountSmallDisk, type SmallDisk, whyNoSmallDisk } from "../testing/small-disk.ts";
import { openEmbedded } from "./open-embedded.ts";

const templates = () => process.env.TOOLWRIGHT_TEST_TEMPLATES as string;
const words = whyNoSmallDisk === undefined ? "" : ` (left out: ${whyNoSmallDisk})`;
const isFull = { code: "store_failed", message: expect.stringMatching(/disk of the database is full;.* Free some space/) };
const megabyte = 1024 * 1024;

describe.skipIf(whyNoSmallDisk)(`an embedded store whose disk is full (R-AU-1, R-AU-5)${words}`, () => {
  let disk: SmallDisk;
  let folder: string;
  const opened: Database[] = [];
  beforeEach(() => {
    disk = mountSmallDisk(230);
    folder = join(disk.path, "store");
  });
  afterEach(async () => {
    disk.free();
    for (const database of opened.splice(0)) await database.close();
    disk.remove();
  });

  const open = async () => {
    const database = await openEmbedded(folder, { holder: "the test", create: (dataDir) => createTestFolder(dataDir, templates()) });
    opened.push(database);
    return database;
  };

  it("reads on, runs nothing that would have to be written, and goes on by itself when there is room again", async () => {
    const database = await open();
    const probe = await openProbeEngine(database);
    const before = await probe.change("before", { idempotencyKey: "k-before" });
    const running = probe.change("running", { waits: true, idempotencyKey: "k-running" });
    await expect.poll(() => probe.effects).toContain("running");
    disk.fill(63 * megabyte);
    const refused = await Promise.all([
      probe.change("full"),
      probe.change("full", { idempotencyKey: "k-full" }),
      probe.change("full", { tool: "ask" }),
    ]);
    expect(probe.effects).not.toContain("full");
    for (const result of refused.slice(0, 2)) expect(result).toMatchObject({ error: { code: "record_failed", message: isFull.message } });
    expect(refused[2]).toMatchObject({ status: "failed", error: isFull });
    expect((await probe.inFlight()).length).toBe(1);
    probe.release();
    const ended = await running;
    expect(ended.status).toBe("done");
    await expect.poll(() => probe.unwritten).toContain(ended.callId);
    disk.free();
    await expect.poll(() => probe.inFlight(), { timeout: 10_000 }).toEqual([]);
    expect(await probe.change("full", { idempotencyKey: "k-full" })).toMatchObject({ status: "done" });
    expect(await probe.change("before", { idempotencyKey: "k-before" })).toMatchObject({ callId: before.callId, replayed: true });
    expect(await probe.findFaults()).toEqual([]);
    await probe.close();
  });

  it("is closed and not opened while it is full, with words on what to do, and has all that was confirmed afterwards", async () => {
    const database = await open();
    const probe = await openProbeEngine(database);
    expect((await probe.change("confirmed")).status).toBe("done");
    disk.fill();
    await probe.close();
    await database.close();
    await expect(open()).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringMatching(/^The disk of the store \S+ has 0 MB left; the store needs 32 MB to be opened\. Free some space/),
    });
    disk.free();
    const again = await openProbeEngine(await open(), { process: "p2" });
    expect(await again.findFaults()).toEqual([]);
    expect((await again.change("after")).status).toBe("done");
    await again.close();
  });

  it("that is new is not made on a disk without room for it", async () => {
    disk.fill(100 * megabyte);
    await expect(open()).rejects.toThrow(/has 99 MB left; the store needs 128 MB to be opened/);
  });

  it("is opened anew by itself after it crashed for want of room, with all that was confirmed", async () => {
    const database = await open();
    const probe = await openProbeEngine(database);
    expect((await probe.change("confirmed")).status).toBe("done");
    disk.fill(90 * megabyte);
    // One statement that begins with room and ends without: it writes nothing but to the write-ahead log.
    const tooMuch = database.asTenant("acme", (query) =>
      sql`select pg_logical_emit_message(false, 'test', repeat('x', 1000000)) from generate_series(1, 200)`.execute(query),
    );
    await expect(tooMuch).rejects.toMatchObject({ code: "store_unreachable", message: expect.stringContaining("can be tried again") });
    expect(await probe.change("full")).toMatchObject({
      status: "failed",
      error: { code: "record_failed", message: expect.stringMatching(/The disk of the store \S+ has \d+ MB left.*Free some space/) },
    });
    disk.free();
    await expect.poll(async () => (await probe.change("after")).status, { timeout: 10_000 }).toBe("done");
    expect(probe.effects).toEqual(["confirmed", "after"]);
    expect(await probe.findFaults()).toEqual([]);
    await probe.close();
  });
});

describe.skipIf(whyNoSmallDisk)(`an embedded store on a disk that can only be read${words}`, () => {
  it("is not opened, with words on what to do", async () => {
    const disk = mountSmallDisk(1);
    try {
      spawnSync("mount", ["-o", "remount,ro", disk.path]);
      for (const [folder, tried] of [
        [disk.path, "write to"],
        [join(disk.path, "store"), "make"],
      ] as const)
        await expect(openEmbedded(folder, { holder: "the test" })).rejects.toMatchObject({
          code: "store_failed",
          message: expect.stringContaining(`tried to ${tried} ${folder}, but its disk can only be read (EROFS)`),
        });
    } finally {
      disk.remove();
    }
  });
});
