import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServerDatabase, openTestDatabase, type TestDatabase } from "../testing/index.ts";
import type { Announcement } from "./database.ts";
import { followChannel } from "./follow-channel.ts";
import { openServer } from "./open-server.ts";

describe("the connection that hears of changes", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase("server");
  });
  afterAll(() => test.cleanup());

  it("has listeners look themselves as soon as it is there, and again after it broke", async () => {
    const heard: (Announcement | undefined)[] = [];
    const stop = followChannel(() => new pg.Client({ connectionString: test.url, application_name: "listener" }), {
      onNotice: (announcement) => void heard.push(announcement),
      onSilent: () => {},
      warn: () => {},
      silenceMs: 60_000,
    });
    const looks = () => heard.filter((announcement) => announcement === undefined).length;
    // Sooner than they look anyway.
    const soon = { timeout: 4_000 };
    await expect.poll(looks, soon).toBeGreaterThanOrEqual(1);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'listener'`.execute(test.database.owner);
    await expect.poll(looks, soon).toBeGreaterThanOrEqual(2);
    await sql`select pg_notify('toolwright', '{"topic":"jobs","tenant":"acme","id":"1"}')`.execute(test.database.owner);
    await expect.poll(() => heard).toContainEqual({ topic: "jobs", tenant: "acme", id: "1" });
    await stop();
  });

  it("is not opened by a process that ends before it wants it, and late by one that stays", async () => {
    const { url, drop } = await createServerDatabase();
    const seen = async () => {
      const name = new URL(url).pathname.slice(1);
      const counts = sql<{
        open: number;
        all: number;
      }>`select numbackends as open, sessions as all from pg_stat_database where datname = ${name}`;
      return (await counts.execute(test.database.owner)).rows[0];
    };
    const brief = await openServer(url, { followAfterMs: 60_000 });
    await brief.asSystem((query) => sql`select 1`.execute(query));
    await brief.close();
    await expect.poll(seen).toEqual({ open: 0, all: 1 });
    const staying = await openServer(url, { followAfterMs: 1 });
    let looks = 0;
    staying.listen("jobs", () => looks++);
    await expect.poll(() => looks, { timeout: 4_000 }).toBeGreaterThanOrEqual(1);
    await staying.close();
    await drop();
  });
});
