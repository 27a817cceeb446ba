import { randomBytes } from "node:crypto";
import type { CallResult } from "@toolwright/engine";
import { afterEach, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { openServer } from "../database/open-server.ts";
import { migrate } from "../migrate/migrate.ts";
import {
  mountSmallDisk,
  openProbeEngine,
  type ProbeEngine,
  type SmallDisk,
  startTestServer,
  type TestServer,
  whyNoSmallDisk,
} from "../testing/index.ts";

const words = whyNoSmallDisk === undefined ? "" : ` (left out: ${whyNoSmallDisk})`;

describe.skipIf(whyNoSmallDisk)(`a server whose disk is full (R-AU-1, R-AU-5)${words}`, () => {
  let disk: SmallDisk;
  let server: TestServer | undefined;
  let database: Database | undefined;
  let probe: ProbeEngine | undefined;
  afterEach(async () => {
    disk.free();
    probe?.release();
    await probe?.close();
    await database?.close();
    await server?.stop();
    disk.remove();
  });

  const open = async (place: "data" | "log", flags: readonly string[] = []) => {
    disk = mountSmallDisk(120);
    server = await startTestServer(["wal_recycle=off", ...flags], { [place]: disk.path });
    database = await openServer(server.url);
    await migrate(database.owner);
    probe = await openProbeEngine(database);
    return { probe, server };
  };
  it("runs nothing that the log has no room for, says what to do, and goes on by itself when there is room again", async () => {
    const { probe } = await open("data");
    const mark = big("running");
    const running = probe.change(mark, { waits: true, idempotencyKey: "k-running" });
    await expect.poll(() => probe.effects).toContain(mark);
    disk.fill();
    const refused = await fillWith(probe);
    expect(refused).toMatchObject({
      status: "failed",
      error: {
        code: "record_failed",
        message: expect.stringMatching(/did not run\. The disk of the database is full;.* Free some space/),
        details: { cause: "store_failed" },
      },
    });
    const before = probe.effects.length;
    const full = await Promise.all([0, 1, 2].map((index) => probe.change(big(`full ${index}`), { idempotencyKey: `k-full-${index}` })));
    expect(full.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
    expect(probe.effects.length).toBe(before);
    probe.release();
    const ended = await running;
    expect(ended).toMatchObject({ status: "done" });
    await expect.poll(() => probe.unwritten, { timeout: 5_000 }).toContain(ended.callId);
    disk.free();
    await expect.poll(() => probe.inFlight(), { timeout: 10_000 }).toEqual([]);
    await expect
      .poll(() => probe.change(mark, { waits: true, idempotencyKey: "k-running" }), { timeout: 10_000 })
      .toMatchObject({ status: "done", callId: ended.callId, replayed: true });
    expect(await probe.change("again", { idempotencyKey: "k-full-0" })).toMatchObject({ status: "done" });
    expect(await probe.findFaults()).toEqual([]);
  });

  it("may stop where its write-ahead log has no room: once it is started again, everything goes on", async () => {
    const { probe, server } = await open("log", ["min_wal_size=32MB", "max_wal_size=64MB"]);
    await probe.change("before", { idempotencyKey: "k-before" });
    disk.fill();
    const refused = await fillWith(probe);
    expect(refused).toMatchObject({ status: "failed", error: { code: "record_failed" } });
    await expect.poll(() => server.pid, { timeout: 15_000 }).toBe(0);
    disk.free();
    await server.start();
    await expect.poll(async () => (await probe.change("after")).status, { timeout: 20_000 }).toBe("done");
    expect(await probe.change("before", { idempotencyKey: "k-before" })).toMatchObject({ status: "done", replayed: true });
    expect(await probe.findFaults()).toEqual([]);
  });
});

const big = (name: string) => `${name} ${randomBytes(20_000).toString("base64")}`;

/** Calls with large inputs until one is refused. */
async function fillWith(probe: ProbeEngine): Promise<CallResult> {
  for (let index = 0; index < 5_000; index += 1) {
    const result = await probe.change(big(`fill ${index}`));
    if (result.status !== "done") return result;
  }
  throw new Error("The disk did not become full.");
}
