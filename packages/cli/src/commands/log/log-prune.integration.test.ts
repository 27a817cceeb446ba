import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CallEvent } from "@toolwright/engine";
import type { Store } from "@toolwright/postgres";
import { sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { holdStore } from "../../../test/hold-store.ts";
import { runIn } from "../../../test/test-io.ts";
import { exitCodes } from "../../exit-code.ts";

let root: string;
let store: Store;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-prune-"));
  // Held open: the commands use the folder beside this process, as they would beside a server.
  store = await holdStore(join(root, "home/.local/state/toolwright"));
  const facts = { at: 1_000, actor: { kind: "user", id: "ann" }, door: "cli", source: "cli", tool: "file_read" } as const;
  const callIn = (tenant: string): readonly CallEvent[] => [
    { ...facts, tenant, session: "old", callId: `call_${tenant}`, type: "tool.started", data: { input: {} } },
    { ...facts, tenant, session: "old", callId: `call_${tenant}`, type: "tool.completed", data: { durationMs: 4, output: "" } },
  ];
  for (const tenant of ["acme", "other"]) await store.tenants.ensure(tenant);
  for (const tenant of ["default", "acme", "other"]) await store.events.append(callIn(tenant));
  await sql`update toolwright.sessions set written_at = last_at`.execute(store.database.owner);
});
afterAll(async () => {
  await store.close();
  await rm(root, { recursive: true, force: true });
});

const prune = (...words: readonly string[]) => runIn(root, ["log", "prune", "--older-than", "1d", ...words]);

async function tenantsLeft(): Promise<readonly string[]> {
  const { rows } = await sql<{
    tenant: string;
  }>`select distinct tenant from toolwright.events where session = 'old' order by tenant`.execute(store.database.owner);
  return rows.map(({ tenant }) => tenant);
}

test("one tenant and all of them at once is refused", async () => {
  expect(await prune("--tenant", "acme", "--all")).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("--all") });
  expect(await tenantsLeft()).toHaveLength(3);
});

test("a tenant that there is not is refused", async () => {
  expect(await prune("--tenant", "nowhere")).toMatchObject({ code: exitCodes.usage, out: "", err: expect.stringContaining("nowhere") });
});

test("a dry run says what would be removed, and removes nothing", async () => {
  expect((await prune("--dry-run")).out).toBe("Would remove 1 session, 2 events, 0 artifacts, 0 messages.\n");
  expect(JSON.parse((await prune("--all", "--dry-run", "--json")).out)).toEqual({
    dryRun: true,
    sessions: 3,
    events: 6,
    artifacts: 0,
    messages: 0,
  });
  expect(await tenantsLeft()).toHaveLength(3);
});

test("a time that has not come is refused: everything would be older", async () => {
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();
  const said = await runIn(root, ["log", "prune", "--older-than", tomorrow]);
  expect(said).toMatchObject({ code: exitCodes.usage, err: expect.stringContaining("not come yet") });
  expect(await tenantsLeft()).toHaveLength(3);
});

test("the help of anchor says that it is for all tenants", async () => {
  expect((await runIn(root, ["log", "anchor", "--help"])).out).toMatch(/--tenant <name> +only this tenant \(default: all of them\)/);
});

test("the log of this machine's tenant is pruned, and that of others only when they are named or all are meant", async () => {
  expect((await prune()).out).toBe("Removed 1 session, 2 events, 0 artifacts, 0 messages.\n");
  expect(await tenantsLeft()).toEqual(["acme", "other"]);
  await prune("--tenant", "acme");
  expect(await tenantsLeft()).toEqual(["other"]);
  await prune("--all");
  expect(await tenantsLeft()).toEqual([]);
});
