import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createProcessRegistry, type ProcessRegistry } from "./process-registry.ts";

const now = { waitMs: 0 };

describe.each(testDatabaseKinds)("servers of one store, %s", (kind) => {
  let test: TestDatabase;
  const opened: ProcessRegistry[] = [];
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());
  afterEach(async () => {
    for (const registry of opened.splice(0)) await registry.close();
  });
  const register = async (process: string) => {
    const registry = await createProcessRegistry(test.database, { process, role: `toolwright serve (${process})`, host: "here" });
    opened.push(registry);
    return registry;
  };

  it("let in the same: one that differs is refused with both ways, also after the record of the first was lost", async () => {
    const first = await register(`${kind}-1`);
    await first.admit("people who sign in", now);
    await (await register(`${kind}-2`)).admit("people who sign in", now);
    const third = await register(`${kind}-3`);
    const refusal = {
      code: "store_in_use",
      message: expect.stringMatching(/toolwright serve \(.*-1\) on here .* lets in people who sign in; this server .* every program/),
    };
    await expect(third.admit("every program of its machine", now)).rejects.toMatchObject(refusal);
    await sql`delete from toolwright.processes where process like ${`${kind}-%`}`.execute(test.database.owner);
    await first.look();
    await expect(third.admit("every program of its machine", now)).rejects.toMatchObject({ code: "store_in_use" });
  });

  it("may change when the one before has left, or was killed a moment ago", async () => {
    const first = await register(`${kind}-4`);
    await first.admit("who has the token 1", now);
    const second = await register(`${kind}-5`);
    const admitting = second.admit("who has the token 2");
    await first.close();
    await admitting;
    await second.look();
    // Of this machine, and of no process that there is.
    await sql`update toolwright.processes set place = regexp_replace(place, ' [0-9]+$', ' 1') where process = ${`${kind}-5`}`.execute(
      test.database.owner,
    );
    await (await register(`${kind}-6`)).admit("people who sign in", now);
  });
});
