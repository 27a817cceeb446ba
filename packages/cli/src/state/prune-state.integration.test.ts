import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRecord, GrantRecord } from "@toolwright/engine";
import { createManualClock } from "@toolwright/engine/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createFileApprovalStore } from "./file-approval-store.ts";
import { createFileArtifactStore } from "./file-artifact-store.ts";
import { createFileGrantStore } from "./file-grant-store.ts";

const hour = 3_600_000;
const day = 24 * hour;
const by = { kind: "user", id: "ann" } as const;

let folder: string;
let clock: ReturnType<typeof createManualClock>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-prune-"));
  clock = createManualClock(Date.now());
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const there = async () => (await readdir(join(folder, "acme"))).sort();

const approval = (id: string): ApprovalRecord => ({
  id,
  callId: "call_1",
  tool: "exec",
  principal: { tenant: "acme", actor: { kind: "agent", id: "a" }, permissions: [], door: "mcp" },
  session: "s",
  input: {},
  binding: { input: "", definition: "", policyRevision: "", secrets: "", caller: "", disclosed: "", world: "" },
  decision: { effect: "ask", layer: "command", rule: "r", reason: "r", revision: "1", findings: [] },
  summary: "push",
  createdAt: clock.now(),
  expiresAt: clock.now() + day,
});
const grant = (id: string, changes: Partial<GrantRecord> = {}): GrantRecord => ({
  id,
  tenant: "acme",
  tool: "exec",
  definition: "d",
  scope: { kind: "tenant" },
  allows: [{ kind: "command", pattern: "npm test" }],
  by,
  createdAt: clock.now(),
  expiresAt: clock.now() + 100 * day,
  maxUses: 1,
  ...changes,
});

describe("approvals", () => {
  test("one that nobody answered is on record as expired, told of once, and goes 30 days later", async () => {
    const expired: string[] = [];
    const open = () => createFileApprovalStore(folder, { clock, onExpired: ({ id }) => void expired.push(id) });
    const store = open();
    for (const id of ["apr_open", "apr_yes", "apr_ran"]) await store.create(approval(id));
    await store.answer("acme", "apr_yes", { outcome: { kind: "approve" }, by, at: clock.now() });
    await store.claim("acme", "apr_ran", clock.now());
    expect([await store.prune(), expired]).toEqual([0, []]);
    await clock.advance(day);
    await Promise.all([open().prune(), open().prune(), store.prune()]);
    expect(expired).toEqual(["apr_open"]);
    expect(await store.get("acme", "apr_open")).toMatchObject({ expiredAt: clock.now(), record: { id: "apr_open" } });
    expect((await store.get("acme", "apr_yes"))?.expiredAt).toBeUndefined();
    await clock.advance(30 * day);
    expect(await store.prune()).toBe(0);
    await clock.advance(1);
    expect(await store.prune()).toBe(3);
    expect(await there()).toEqual([]);
  });

  test("a store that stays open looks now and then", async () => {
    const store = createFileApprovalStore(folder, { clock, keepMs: hour });
    await store.create(approval("apr_1"));
    await clock.advance(2 * day);
    await store.create(approval("apr_2"));
    expect(await there()).toEqual(["apr_2"]);
  });
});

describe("grants", () => {
  test("a live one stays; what expired, was revoked or used up goes after the time that is kept", async () => {
    const store = createFileGrantStore(folder, { clock, keepMs: day });
    await store.create(grant("grt_live"));
    await store.create(grant("grt_old", { expiresAt: clock.now() + hour }));
    await store.create(grant("grt_revoked"));
    await store.create(grant("grt_used"));
    await store.revoke("acme", "grt_revoked", { by, at: clock.now() });
    await store.use("acme", "grt_used", clock.now());
    await clock.advance(day);
    expect(await store.prune()).toBe(0);
    await clock.advance(2 * hour);
    expect(await store.prune()).toBe(3);
    expect(await there()).toEqual(["grt_live"]);
    expect(await store.get("acme", "grt_revoked")).toBeUndefined();
  });
});

describe("artifacts", () => {
  test("an old one goes, and what a writer that died left; one that is still written stays", async () => {
    const store = createFileArtifactStore(folder, { clock, keepMs: day });
    const draft = () => store.create({ tenant: "acme", session: "s", callId: "c" }, { name: "n", mediaType: "text/plain" });
    await (await draft()).finish();
    await (await draft()).write(Buffer.from("half"));
    const old = await there();
    await clock.advance(day - hour);
    expect(await store.prune()).toBe(0);
    const working = await draft();
    const [name = ""] = (await there()).filter((id) => !old.includes(id));
    await utimes(join(folder, "acme", name, "content.part"), clock.now() / 1000, clock.now() / 1000);
    await clock.advance(2 * hour);
    expect(await store.prune()).toBe(2);
    expect(await working.finish()).toMatchObject({ id: name });
  });
});

test("what is not ours stays, whatever its name", async () => {
  await mkdir(join(folder, "acme/apr_other"), { recursive: true });
  await writeFile(join(folder, "acme/apr_other/notes.txt"), "mine");
  await writeFile(join(folder, "acme/apr_file"), "mine");
  await mkdir(join(folder, "elsewhere"));
  await writeFile(join(folder, "elsewhere/record.json"), "{}");
  await symlink("../elsewhere", join(folder, "acme/apr_link"));
  await clock.advance(1000 * day);
  for (const store of [
    createFileApprovalStore(folder, { clock }),
    createFileGrantStore(folder, { clock }),
    createFileArtifactStore(folder, { clock }),
  ])
    expect(await store.prune()).toBe(0);
  expect(await there()).toEqual(["apr_file", "apr_link", "apr_other"]);
  expect(await readFile(join(folder, "acme/apr_other/notes.txt"), "utf8")).toBe("mine");
});

test("a record that cannot be read stays", async () => {
  await mkdir(join(folder, "acme/apr_1"), { recursive: true });
  await writeFile(join(folder, "acme/apr_1/record.json"), "{");
  await clock.advance(1000 * day);
  expect(await createFileApprovalStore(folder, { clock }).prune()).toBe(0);
  expect(await there()).toEqual(["apr_1"]);
});
