import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { createTestFolder } from "../testing/prepare-test-databases.ts";
import { type EmbeddedOptions, openEmbedded } from "./open-embedded.ts";

const main = fileURLToPath(new URL("../testing/store-process-main.ts", import.meta.url));
const create = (dataDir: string) => createTestFolder(dataDir, process.env.TOOLWRIGHT_TEST_TEMPLATES as string);

const nobody = 65_534;

let root: string;
let folder: string;
/** Last first: what writes to a database ends before it. */
const closing: (() => Promise<unknown>)[] = [];
const children: ChildProcess[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-embedded-"));
  folder = root;
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(root, { recursive: true, force: true });
});

async function open(options: Partial<EmbeddedOptions> = {}): Promise<Database> {
  const database = await openEmbedded(folder, { holder: "the test", create, ...options });
  closing.push(() => database.close());
  return database;
}

/** Another process on the folder, in the middle of a transaction that it never ends. */
async function startOther(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", main, folder], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  await once(createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }), "line");
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

const addAgent = (database: Database, agent: string) =>
  database.asTenant("acme", (query) =>
    sql`insert into toolwright.agents (tenant, agent, name) values ('acme', ${agent}, 'A')`.execute(query),
  );
const agentsOf = async (database: Database) =>
  (
    await database.asTenant("acme", (query) => sql<{ agent: string }>`select agent from toolwright.agents order by 1`.execute(query))
  ).rows.map(({ agent }) => agent);

describe("the embedded database", () => {
  it("is shared by processes: one that does not end its transaction holds up the others, and is rolled back when it is killed", async () => {
    const mine = await open();
    const other = await startOther();
    const waiting = addAgent(mine, "mine");
    await kill(other);
    await waiting;
    expect(await agentsOf(mine)).toEqual(["confirmed-by-the-other", "mine"]);
  });

  it("is not held up for long by a process that was stopped in the middle of a transaction", async () => {
    const mine = await open({ mostSilenceMs: 200 });
    const other = await startOther();
    other.kill("SIGSTOP");
    await addAgent(mine, "mine");
    expect(await agentsOf(mine)).toEqual(["confirmed-by-the-other", "mine"]);
  });

  it("is taken over when the process that held it is killed, with all that was confirmed", async () => {
    const other = await startOther();
    const mine = await open();
    await kill(other);
    await addAgent(mine, "mine");
    expect(await agentsOf(mine)).toEqual(["confirmed-by-the-other", "mine"]);
  });

  it("is passed on when the process that holds it closes: what others are at is finished, and nothing of theirs fails", async () => {
    const holders = [await open(), await open(), await open(), await open()];
    const last = await open();
    let going = true;
    const use = async (database: Database, name: string) => {
      let done = 0;
      for (; going; done += 1) await addAgent(database, `${name}-${done}`);
      return done;
    };
    const uses = [use(last, "own"), use(await open(), "another")];
    const stop = () => {
      going = false;
      return Promise.all(uses);
    };
    closing.push(stop);
    for (const holder of holders) {
      const before = (await agentsOf(last)).length;
      await holder.close();
      await expect.poll(async () => (await agentsOf(last)).length, { timeout: 10_000, interval: 5 }).toBeGreaterThan(before + 5);
    }
    const [own = 0, another = 0] = await stop();
    expect(await agentsOf(last)).toHaveLength(own + another);
  });

  it("is not held by a process that closes while another one does not go on", async () => {
    const mine = await open({ mostLeavingMs: 200 });
    const other = await startOther();
    other.kill("SIGSTOP");
    await mine.close();
    expect(await agentsOf(await open())).toEqual(["confirmed-by-the-other"]);
  });

  it("is for one process of a role, whoever holds it: a second one is told who that is, and takes over when the first has left", async () => {
    await addAgent(await open(), "mine");
    const only = { role: "serve", waitMs: 0 };
    const first = await open({ holder: "the first", only });
    await expect(open({ holder: "the second", only })).rejects.toMatchObject({
      code: "store_in_use",
      message: expect.stringContaining("is in use by the first"),
    });
    expect(await agentsOf(await open({ holder: "of another role", only: { role: "watch" } }))).toEqual(["mine"]);
    let heard = "";
    const onWait = (holder: string) => {
      heard = holder;
      void first.close();
    };
    const second = await open({ holder: "the second", only: { role: "serve", onWait } });
    expect(heard).toBe("the first");
    expect(await agentsOf(second)).toEqual(["mine"]);
  });

  it("refuses the second process of a role at once when its signal aborts the wait", async () => {
    await open({ holder: "the first", only: { role: "serve" } });
    const stop = new AbortController();
    const waiting = open({
      holder: "the second",
      only: { role: "serve", waitMs: 600_000, signal: stop.signal, onWait: () => stop.abort() },
    });
    await expect(waiting).rejects.toMatchObject({ code: "store_in_use" });
  });

  it("hears announcements of other processes", async () => {
    const mine = await open();
    const heard = new Promise((resolve) => mine.listen("greetings", (announcement) => announcement && resolve(announcement)));
    await startOther();
    expect(await heard).toEqual({ topic: "greetings", tenant: "acme", id: "hello" });
  });

  it("is for its user alone: folder, socket and files", async () => {
    await open();
    expect(statSync(join(folder, "store.sock")).mode & 0o077).toBe(0);
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  it("is whole or not there: a start that was killed leaves no half of a new one", async () => {
    mkdirSync(join(folder, "data.new"));
    const database = await open();
    expect(await agentsOf(database)).toEqual([]);
    expect(readdirSync(folder)).not.toContain("data.new");
  });

  it.skipIf(process.geteuid?.() !== 0)("tells of files that another user left in its folder", async () => {
    chownSync(folder, nobody, nobody);
    writeFileSync(join(folder, "lock.sqlite"), "", { mode: 0o644 });
    process.seteuid?.(nobody);
    // All that is tried is tried before it first waits.
    const opening = open();
    process.seteuid?.(0);
    await expect(opening).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringMatching(/SQLite says: attempt to write a readonly database\. .* runs as .* TOOLWRIGHT_STATE/),
    });
  });

  it("works in a folder whose name is too long for a socket, and trusts no folder of others for it", async () => {
    folder = join(folder, "a".repeat(120));
    const database = await open();
    expect(await agentsOf(database)).toEqual([]);
    const elsewhere = readdirSync(tmpdir()).filter((name) => name.startsWith(`toolwright-${process.getuid?.()}-`));
    expect(elsewhere.length).toBeGreaterThan(0);
    await database.close();
    closing.length = 0;
    for (const name of elsewhere) chmodSync(join(tmpdir(), name), 0o777);
    await expect(open()).rejects.toThrow(/not this user's alone/);
    for (const name of elsewhere) rmSync(join(tmpdir(), name), { recursive: true, force: true });
  });
});
