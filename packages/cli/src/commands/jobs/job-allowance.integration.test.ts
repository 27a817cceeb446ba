import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoredGrant } from "@toolwright/engine";
import type { ScheduleRecord } from "@toolwright/engine/ports";
import { openStore, type Store } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let store: Store;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-allowance-"));
  await mkdir(join(root, "workspace"));
  await writeFile(join(root, "policy.yaml"), "version: 1\ntools:\n  ask: [file_list]\n");
  database = await createServerDatabase();
  store = await openStore({ url: database.url, folder: join(root, "store"), process: "test", holder: "a test" });
});
afterEach(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
  await database.drop();
});

const run = (argv: readonly string[]) => runIn(root, [...argv, "--policy", "policy.yaml"], { env: { DATABASE_URL: database.url } });
const readGrants = async () => JSON.parse((await run(["grants", "list", "--json"])).out) as readonly StoredGrant[];
const readSchedules = async () => JSON.parse((await run(["schedule", "list", "--json"])).out) as readonly ScheduleRecord[];

const listing = ["file_list", "--input", '{"path": "."}'];
const allowed = ["--allow", "path read ."];
const daily = ["schedule", "add", "news", ...listing, "--cron", "0 9 * * *"];

test("a job that is refused leaves no grant", async () => {
  expect((await run(["jobs", "run", ...listing, ...allowed, "--after", "job_missing"])).code).toBe(exitCodes.usage);
  expect(await readGrants()).toEqual([]);
});

test("a schedule that is refused leaves no grant", async () => {
  await run(daily);
  expect(await run([...daily, ...allowed])).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("already") });
  expect(await readGrants()).toEqual([]);
});

test("a schedule whose grant is refused is not made", async () => {
  const refused = await run([...daily, "--allow", "command bash *"]);
  expect(refused).toMatchObject({ code: exitCodes.failed, err: expect.stringContaining("cannot be remembered") });
  expect(await readSchedules()).toEqual([]);
});

test("what a schedule was allowed ends with it, and another of its name inherits nothing", { timeout: 60_000 }, async () => {
  await run([...daily, ...allowed]);
  const [first] = await readSchedules();
  expect(first?.session).toMatch(/^ses_/);
  expect(await readGrants()).toMatchObject([{ record: { scope: { kind: "session", session: first?.session } } }]);
  await run(["schedule", "add", "other", ...listing, "--cron", "0 9 * * *", ...allowed]);
  expect((await run(["schedule", "remove", "news"])).code).toBe(exitCodes.done);
  const [other] = await readSchedules();
  expect(await readGrants()).toMatchObject([{ record: { scope: { session: other?.session } } }]);
  await run(daily);
  const second = (await readSchedules()).find(({ name }) => name === "news");
  expect(second?.session).not.toBe(first?.session);
});

test("what a session of several schedules was allowed ends with the last of them", { timeout: 60_000 }, async () => {
  await run([...daily, ...allowed]);
  const [own] = await readSchedules();
  const ann = { tenant: "default", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" } as const;
  const { session = "" } = own ?? {};
  await store.schedules.add(ann, { name: "of ann", tool: "file_list", input: { path: "." }, when: { cron: "0 9 * * *" }, session });
  await run(["schedule", "remove", "news"]);
  expect(await readGrants()).toHaveLength(1);
  await run(["schedule", "remove", "of ann"]);
  expect(await readGrants()).toEqual([]);
});
