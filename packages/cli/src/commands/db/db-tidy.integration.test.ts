import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@toolwright/postgres";
import { composeToolwright } from "@toolwright/server";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdStore } from "../../../test/hold-store.ts";
import { createTestIo, runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";
import { readSettings } from "../../settings.ts";

let root: string;
let store: Store;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-tidy-"));
  await mkdir(join(root, "workspace"));
  store = await holdStore(join(root, "home/.local/state/toolwright"));
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

const keep = { TOOLWRIGHT_KEEP_LOG_DAYS: "90" };
const run = (...argv: string[]) => runIn(root, argv, { env: keep });

const addOldSession = async (session: string) => {
  const facts = { at: 0, tenant: "default", actor: { kind: "user", id: "ann" }, door: "cli", source: "cli" } as const;
  await store.events.append([{ ...facts, session, callId: session, tool: "echo", type: "tool.denied", data: {} }]);
  await sql`update toolwright.sessions set written_at = last_at`.execute(store.database.owner);
};

test("what is over is said, removed once, and refused while another process is at it", async () => {
  await addOldSession("old");
  expect((await run("db", "tidy", "--dry-run")).out).toBe("Would remove 1 session, 1 event.\n");
  const until = new Date(Date.now() + 60_000);
  await sql`insert into toolwright.upkeep (work, due_at, process, leased_until) values ('retention', now(), 'p', ${until})`.execute(
    store.database.owner,
  );
  const refused = await run("db", "tidy");
  expect(refused.err).toContain("Another process is removing old records");
  expect(refused.code).toBe(exitCodes.unavailable);
  await sql`delete from toolwright.upkeep`.execute(store.database.owner);
  expect(JSON.parse((await run("db", "tidy", "--json")).out)).toEqual({ dryRun: false, removed: { sessions: 1, events: 1 } });
  expect((await run("db", "tidy")).out).toBe("Removed nothing.\n");
  expect((await run("log", "verify", "--session", "old")).out).toContain("events 1 to 1 were removed by retention");
});

test("what is stopped says so, and ends as a command that was stopped", async () => {
  const stopped = (...argv: string[]) => runIn(root, argv, { env: keep, signal: AbortSignal.abort() });
  expect(await stopped("db", "tidy")).toMatchObject({ code: exitCodes.cancelled, out: "Removed nothing.\n" });
  expect(await stopped("db", "verify")).toMatchObject({
    code: exitCodes.cancelled,
    out: expect.stringMatching(/: whole so far\.\n$/),
    err: "It was stopped; the rest was not looked at.\n",
  });
});

test("every process that calls tools removes what is over, and tells the operator", async () => {
  await addOldSession("older");
  await sql`delete from toolwright.upkeep`.execute(store.database.owner);
  const { io, said } = createTestIo(root, { env: keep });
  const toolwright = await composeToolwright(readSettings({}, io), io);
  await expect.poll(() => store.retention.last(), { timeout: 10_000 }).toMatchObject({ removed: { sessions: 1, events: 1 } });
  await toolwright.close();
  expect(said.err).toContain("info: Removed what was over: 1 session, 1 event.");
});

test("an agent is deleted when a person says so, and by a script that was told not to ask", async () => {
  expect((await run("agents", "create", "coder")).code).toBe(exitCodes.done);
  expect(await run("agents", "delete", "coder")).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("--yes") });
  const asked = (answer: string) => runIn(root, ["agents", "delete", "coder"], { isInteractive: true, ask: async () => answer });
  expect(await asked("n")).toMatchObject({ code: exitCodes.cancelled, out: "", err: expect.stringContaining("Nothing was deleted") });
  expect(await asked("y")).toMatchObject({ code: exitCodes.done, out: "Deleted the agent coder with nothing else.\n" });
  expect((await run("agents", "delete", "coder", "--yes")).err).toContain("There is no agent");
});
