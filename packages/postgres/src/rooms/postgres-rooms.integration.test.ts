import { roomsConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../database/database.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresRooms } from "./postgres-rooms.ts";

const principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" } as const;
const ref = { tenant: "acme", id: "r1" };

describe.each(testDatabaseKinds)("rooms in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  /** The database of a server, as another process has it. */
  let other: Database;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
    other = kind === "server" ? await test.reopen() : test.database;
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await sql`truncate toolwright.rooms cascade`.execute(test.database.owner);
    return { rooms: createPostgresRooms(test.database), reopen: async () => createPostgresRooms(other), cleanup: async () => {} };
  };
  for (const { name, run } of roomsConformance(open)) it(name, run);

  it("keeps what the database cannot hold as text", async () => {
    const { rooms } = await open();
    await rooms.create({ ...ref, title: "a\u0000b", agent: "assistant", principal, people: ["a\u0000n"], createdAt: 1_000 });
    await rooms.post(ref, { text: "\ud800 a\u0000b", by: principal.actor, at: 1_000 });
    await rooms.say(ref, { text: "a\u0000b", to: "a\u0000n", at: 1_000 });
    expect(await rooms.get(ref)).toMatchObject({ title: "a\u0000b", people: ["a\uFFFDn"] });
    expect(await rooms.events(ref)).toMatchObject([{ text: "\ud800 a\u0000b" }]);
    expect(await rooms.messages(ref)).toMatchObject([{ text: "a\u0000b" }]);
    expect(await rooms.get({ ...ref, id: "r\u0000" })).toBeUndefined();
  });
});
