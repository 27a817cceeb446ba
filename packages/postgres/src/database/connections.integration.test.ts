import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { migrate } from "../migrate/migrate.ts";
import { openProbeEngine, type ProbeEngine, type ProbeOptions, startTestServer, type TestServer } from "../testing/index.ts";
import type { Database } from "./database.ts";
import { openServer, type ServerOptions } from "./open-server.ts";

let server: TestServer;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  server = await startTestServer(["max_connections=6", "superuser_reserved_connections=0", "max_wal_senders=0"]);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => server.stop());

async function open(options: ServerOptions = {}): Promise<Database> {
  const database = await openServer(server.url, { connections: 3, ...options });
  closing.push(() => database.close());
  return database;
}

async function openProbe(options?: ServerOptions & ProbeOptions): Promise<{ readonly database: Database; readonly probe: ProbeEngine }> {
  const database = await open(options);
  await migrate(database.owner);
  const probe = await openProbeEngine(database, options);
  closing.push(() => probe.close());
  return { database, probe };
}

/** Somebody else's connections, as many as there are. */
async function takeAll(): Promise<{ readonly clients: readonly pg.Client[]; leave(): Promise<void> }> {
  const clients: pg.Client[] = [];
  for (;;) {
    const client = new pg.Client({ connectionString: server.url });
    client.on("error", () => {});
    try {
      await client.connect();
      clients.push(client);
    } catch {
      break;
    }
  }
  const leave = async () => void (await Promise.all(clients.splice(0).map((client) => client.end())));
  closing.push(leave);
  return { clients, leave };
}

describe("a server with no connection left", () => {
  it("is not opened, with words on what to do; with one that is free within the time, it is", async () => {
    const { leave } = await takeAll();
    await expect(open({ acquireTimeoutMs: 300 })).rejects.toMatchObject({
      code: "store_unreachable",
      message: expect.stringMatching(/no connection left\. Raise max_connections, or lower TOOLWRIGHT_CONNECTIONS/),
      details: { sqlState: "53300" },
    });
    const opening = open();
    await leave();
    expect((await opening).kind).toBe("server");
  });

  it("runs nothing that the log cannot take, says why, and calls wait for a connection that becomes free", async () => {
    const { probe, database } = await openProbe({ acquireTimeoutMs: 1_000, patienceMs: 2_000 });
    expect((await probe.change("before")).status).toBe("done");
    const leave = await takeThoseOf("toolwright");
    const refused = await probe.change("refused");
    expect(refused).toMatchObject({
      status: "failed",
      error: { code: "record_failed", message: expect.stringContaining("no connection left") },
    });
    const waiting = probe.change("waiting");
    await leave();
    expect((await waiting).status).toBe("done");
    const heard = new Promise((resolve) => database.listen("greetings", (announcement) => announcement && resolve(announcement)));
    await expect
      .poll(
        () => {
          database.announce({ topic: "greetings", tenant: "default", id: "hello" });
          return Promise.race([heard, undefined]);
        },
        { timeout: 15_000 },
      )
      .toEqual({ topic: "greetings", tenant: "default", id: "hello" });
    expect(probe.effects).toEqual(["before", "waiting"]);
    expect(await probe.findFaults()).toEqual([]);
  });
});

/** Every connection there is, also those that such an application had and would have again. */
async function takeThoseOf(application: string): Promise<() => Promise<void>> {
  const taken = [await takeAll()];
  for (;;) {
    const client = taken[0]?.clients[0] as pg.Client;
    const { rowCount } = await client.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
      application,
    ]);
    if (rowCount === 0) return async () => void (await Promise.all(taken.map(({ leave }) => leave())));
    taken.push(await takeAll());
  }
}

it("ends one of two transactions that wait for each other, says that it can be tried again, and the other goes on", async () => {
  const database = await open();
  await migrate(database.owner);
  const holding = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const lockBoth = (first: 0 | 1) =>
    database.asSystem(async (query) => {
      await sql`select pg_advisory_xact_lock(${first})`.execute(query);
      holding[first].resolve();
      await Promise.all(holding.map(({ promise }) => promise));
      await sql`select pg_advisory_xact_lock(${1 - first})`.execute(query);
    });
  const ends = await Promise.allSettled([lockBoth(0), lockBoth(1)]);
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(ends.find(({ status }) => status === "rejected")).toMatchObject({
    reason: { code: "store_unreachable", message: expect.stringContaining("It can be tried again."), details: { sqlState: "40P01" } },
  });
});

describe("a server that holds its connections and does not answer (R-AU-5)", () => {
  it("ends calls with a reason within the stated limit, runs nothing, and everything goes on when it answers again", async () => {
    const { probe } = await openProbe({ silenceMs: 300, acquireTimeoutMs: 1_000, patienceMs: 2_000 });
    const before = randomUUID();
    expect((await probe.change("before", { idempotencyKey: before })).status).toBe("done");
    const stopped = stopServer();
    try {
      const startedAt = performance.now();
      const results = await Promise.all([
        probe.change("silent"),
        probe.change("silent", { idempotencyKey: "k-silent" }),
        probe.change("silent", { tool: "ask" }),
      ]);
      for (const result of results) expect(result).toMatchObject({ status: "failed" });
      expect(results[0]).toMatchObject({ error: { code: "record_failed", details: { cause: "store_unreachable" } } });
      expect(performance.now() - startedAt).toBeLessThan(12_000);
      expect(probe.effects).toEqual(["before"]);
    } finally {
      stopped.go();
    }
    await expect.poll(async () => (await probe.change("after")).status, { timeout: 15_000 }).toBe("done");
    // On a busy machine an answer may come later than this test waits for one.
    const again = () => probe.change("before", { idempotencyKey: before });
    await expect.poll(again, { timeout: 15_000 }).toMatchObject({ replayed: true });
    expect(probe.effects.filter((effect) => effect === "before")).toEqual(["before"]);
    expect(await probe.findFaults()).toEqual([]);
  });

  it("does not hold up whoever closes it", async () => {
    const { database, probe } = await openProbe({ silenceMs: 300, acquireTimeoutMs: 1_000 });
    closing.length = 0;
    const stopped = stopServer();
    try {
      const startedAt = performance.now();
      await probe.close();
      await database.close();
      expect(performance.now() - startedAt).toBeLessThan(8_000);
    } finally {
      stopped.go();
    }
  });
});

/** The server and all its backends, as a machine that hangs. */
function stopServer(): { go(): void } {
  const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(server.pid)], { encoding: "utf8" });
  const pids = [server.pid, ...children.trim().split(/\s+/).map(Number)].filter((pid) => pid > 1);
  for (const pid of pids) process.kill(pid, "SIGSTOP");
  return {
    go() {
      for (const pid of pids) if (readFileSync(`/proc/${pid}/stat`, "utf8")) process.kill(pid, "SIGCONT");
    },
  };
}
