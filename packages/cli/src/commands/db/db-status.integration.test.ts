import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let empty: Awaited<ReturnType<typeof createServerDatabase>>;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-db-status-"));
  empty = await createServerDatabase("template1");
});
afterAll(async () => {
  await empty.drop();
  await rm(root, { recursive: true, force: true });
});

/** On a server's database, whose URL has a password in both places that may have one. */
function run(...argv: string[]) {
  const url = new URL(empty.url);
  url.searchParams.set("password", url.password || "hunter2");
  return runIn(root, argv, { env: { DATABASE_URL: url.href } });
}

test("a store that lacks migrations is described as it is, and is not verified before it has them", async () => {
  const status = await run("db", "status");
  expect(status).toMatchObject({ code: exitCodes.failed, err: "" });
  expect(status.out).toMatch(
    /^PostgreSQL server \S+.* at postgres\S+\n {2}size {8}\d+\.\d MB\n {2}migrations {2}0 applied, \d+ to come: .*\nIt does not fit this version\. Bring it there with: toolwright db migrate\n$/,
  );
  const told = JSON.parse((await run("db", "status", "--json")).out);
  expect(told).toMatchObject({ kind: "server", fits: false, migrations: { applied: [], unknown: [], changed: [] } });
  expect(told.place).not.toContain("password");
  expect(await run("db", "verify")).toMatchObject({
    code: exitCodes.usage,
    out: "",
    err: expect.stringMatching(/^The store lacks .*\. Bring it to this version first: toolwright db migrate\n$/),
  });
  await run("db", "migrate");
  expect(await run("db", "status")).toMatchObject({ code: exitCodes.done, out: expect.stringContaining("It fits this version.") });
  expect(await run("db", "verify")).toMatchObject({ code: exitCodes.done, out: "0 sessions with 0 events: all whole.\n" });
});
