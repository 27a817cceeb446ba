import { turnStreamConformance, turnsConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, it } from "vitest";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresTurnStream } from "./postgres-turn-stream.ts";
import { createPostgresTurns } from "./postgres-turns.ts";

const principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" } as const;
const turn = { agent: "assistant", principal, callId: "call_1", createdAt: 1_000 };

describe.each(testDatabaseKinds)("turns in PostgreSQL, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    await sql`truncate toolwright.turns, toolwright.messages cascade`.execute(test.database.owner);
    return { turns: createPostgresTurns(test.database), reopen: async () => createPostgresTurns(test.database), cleanup: async () => {} };
  };
  for (const { name, run } of turnsConformance(open)) it(name, run);

  const openStream = async () => {
    const { turns } = await open();
    for (const tenant of ["acme", "other"])
      for (const id of ["t1", "t2"]) await turns.begin({ ...turn, tenant, id, conversation: id }, {}, { holder: "p1", until: 0 });
    const stream = createPostgresTurnStream(test.database);
    return { stream, reopen: async () => createPostgresTurnStream(test.database), cleanup: async () => {} };
  };
  for (const { name, run } of turnStreamConformance(openStream)) it(`what people see of them: ${name}`, run);
});
