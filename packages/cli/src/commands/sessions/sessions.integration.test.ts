import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeEach(async () => {
  database = await createServerDatabase();
  root = mkdtempSync(join(tmpdir(), "toolwright-sessions-"));
});
afterEach(async () => {
  rmSync(root, { recursive: true, force: true });
  await database.drop();
});

const run = (...argv: string[]) => runIn(root, ["sessions", ...argv], { env: { DATABASE_URL: database.url } });

it("toolwright sessions lists them, and shares one with a person and everybody until it takes that back", async () => {
  expect((await run("list")).out).toBe("There are no sessions. A call makes one: toolwright call TOOL\n");
  await runIn(root, ["call", "file_list", "--path", "."], { env: { DATABASE_URL: database.url } });
  const { out } = await run("list", "--kind", "calls");
  expect(out).toMatch(/^ID +KIND +NAME +OWNER +SHARED WITH +LAST USED\nses_\S+ +calls +cli-\S+ +\S+ +\d{4}-\d\d-\d\d \d\d:\d\dZ\n$/);
  const [id = ""] = out.match(/ses_\S+/) ?? [];
  expect((await run("share", id, "--with", "bob")).out).toBe(`${id} is shared with bob.\n`);
  expect((await run("share", id, "--tenant-wide")).out).toMatch(/ is shared with (?:bob, everybody|everybody, bob)\.\n$/);
  await run("unshare", id, "--tenant-wide");
  expect((await run("unshare", id, "--with", "bob")).out).toBe(`${id} is shared with nobody.\n`);
  expect((await run("list", "--kind", "chat")).out).toBe("There is no such session.\n");
});

it.each([[[]], [["--with", "bob", "--tenant-wide"]]])("a share with %j names the options of which it needs one", async (options) => {
  const { code, err } = await run("share", "ses_x", ...options);
  expect([code, err]).toEqual([exitCodes.usage, "Name either one person, as --with, or everybody of the tenant, as --tenant-wide.\n"]);
});
