import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeEvent, readAll } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { verifyLog } from "../events/verify-log.ts";
import { createTestFolder } from "../testing/prepare-test-databases.ts";
import { openEmbedded } from "./open-embedded.ts";
import { createPins } from "./pin-files.ts";

let folder: string;
/** Last first: what writes to a database ends before it. */
const closing: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwright-detach-"));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

const create = (dataDir: string) => createTestFolder(dataDir, process.env.TOOLWRIGHT_TEST_TEMPLATES as string);
const open = async (holder: string) => {
  const database = await openEmbedded(folder, { holder, create });
  closing.push(() => database.close());
  return database;
};
const copiesIn = (place: string) => readdirSync(place).filter((name) => name.startsWith("toolwright-copy"));

describe("a copy of the embedded database", () => {
  it.each([
    ["a process that holds the folder", true],
    ["a process that works through another one", false],
  ])("made by %s while others write is of one moment, and nobody waits for who reads it", async (_words, holds) => {
    const [one, other] = [await open("one"), await open("other")];
    const [mine, writer] = holds ? [one, other] : [other, one];
    const log = createPostgresEventLog(writer, "p1");
    const append = async (count: number, callId: string) => {
      for (let n = 0; n < count; n += 1)
        await log.append([makeEvent({ callId: `${callId}${n}`, session: `s${n % 5}`, data: { text: "x".repeat(n) } })]);
    };
    await append(10, "before");
    let going = true;
    const writing = (async () => {
      let count = 0;
      for (; going; count += 1) await append(1, `meanwhile${count}_`);
      return count;
    })();
    closing.push(() => {
      going = false;
      return writing;
    });
    const copy = await mine.detach();
    closing.push(() => copy.close());
    going = false;
    const written = await writing;
    await copy.asSystem(async (query) => {
      const {
        rows: [before],
      } = await sql`select count(*) as count from toolwright.events`.execute(query);
      await append(5, "beside");
      expect((await sql`select count(*) as count from toolwright.events`.execute(query)).rows).toEqual([before]);
    });
    const reports = await readAll(verifyLog(copy, {}));
    expect(reports.flatMap(({ faults }) => faults)).toEqual([]);
    const events = reports.reduce((sum, report) => sum + report.events, 0);
    expect(events).toBeGreaterThanOrEqual(10);
    expect(events).toBeLessThanOrEqual(10 + written);
    expect(copiesIn(folder)).toHaveLength(1);
    await copy.close();
    expect(copiesIn(folder)).toEqual([]);
    const all = await readAll(verifyLog(writer, {}));
    expect(all.reduce((sum, report) => sum + report.events, 0)).toBe(15 + written);
  });

  it("is removed by the next start where its process was killed, and one of a process that lives is left", async () => {
    for (const pid of [4_000_000, process.pid]) {
      mkdirSync(join(folder, `toolwright-copy-${pid}-0123abcd`));
      writeFileSync(join(folder, `toolwright-copy-${pid}-0123abcd`, "PG_VERSION"), "18");
    }
    await open("the next");
    expect(copiesIn(folder)).toEqual([`toolwright-copy-${process.pid}-0123abcd`]);
  });
});

describe("files that are held", () => {
  const pglite = { query: async () => undefined as never };

  it("are of no use to who held them too long, or over the end of their holder", async () => {
    const short = createPins(pglite, { mostMs: 0 });
    const late = await short.pin();
    await expect.poll(() => short.held).toBe(false);
    await expect(late.release()).rejects.toThrow(/not held long enough/);
    const pins = createPins(pglite);
    const [one, other] = [await pins.pin(), await pins.pin()];
    await one.release();
    expect(pins.held).toBe(true);
    pins.break();
    await expect(other.release()).rejects.toThrow(/not held long enough/);
  });

  it("are held no more when the checkpoint that they begin with failed", async () => {
    const pins = createPins({ query: () => Promise.reject(new Error("no room")) });
    await expect(pins.pin()).rejects.toThrow("no room");
    expect(pins.held).toBe(false);
  });
});
