import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../testing/index.ts";
import type { Announcement } from "./database.ts";
import { followChannel } from "./follow-channel.ts";

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
});
