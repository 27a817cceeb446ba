import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRecord } from "@toolwright/engine";
import { openStore } from "@toolwright/postgres";
import { createServerDatabase } from "@toolwright/postgres/testing";
import { composeToolwright, type Toolwright } from "@toolwright/server";
import { route } from "@toolwright/server/http";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTestIo } from "../test/test-io.ts";
import { describeServer } from "./output/describe-server.ts";
import { tellPolicy } from "./output/tell-policy.ts";
import { type CommonOptions, readSettings } from "./settings.ts";

let root: string;
let database: Awaited<ReturnType<typeof createServerDatabase>>;
let said: string[];
let toolwright: Toolwright | undefined;
beforeEach(async () => {
  database = await createServerDatabase();
  root = await mkdtemp(join(tmpdir(), "toolwright-compose-"));
  said = [];
  toolwright = undefined;
});
afterEach(async () => {
  await toolwright?.close();
  await rm(root, { recursive: true, force: true });
  await database.drop();
});

const io = () =>
  createTestIo(root, {
    env: {
      USER: "ann",
      DATABASE_URL: database.url,
      TOOLWRIGHT_STATE: join(root, "state"),
      TOOLWRIGHT_MASTER_KEY: randomBytes(32).toString("hex"),
    },
    err: (text) => void said.push(text),
  }).io;

async function compose(options: CommonOptions = {}): Promise<Toolwright> {
  toolwright = await composeToolwright(readSettings(options, io()), io(), { onPolicy: tellPolicy(io()) });
  return toolwright;
}

const put = async (path: string, text: string) => {
  await mkdir(join(root, path, ".."), { recursive: true });
  await writeFile(join(root, path), text);
};
const home = "home/.config/toolwright/policy.yaml";
const host = "version: 1\nsandbox: { mode: host, network: host, max_open_files: 77 }\n";
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 15_000, interval: 20 });
const health = async (made: Toolwright) => {
  const answer = await route({ toolwright: made, mcp: () => new Response(), rest: () => new Response(), clients: "" })(
    new Request("http://localhost/health"),
  );
  return (await answer.json()) as { sandbox: string };
};

test("banner, health and posture are those of the policy in force, also after it changed", async () => {
  await put("policy.yaml", "version: 1\nsandbox: { mode: host, network: host }\n");
  const made = await compose({ policy: "policy.yaml" });
  expect(made.sandbox.limits).toEqual({});
  const before = await health(made);
  await put("policy.yaml", host);
  await eventually(() => expect(made.sandbox.limits).toEqual({ openFiles: 77 }));
  const after = await health(made);
  expect(before.sandbox).not.toContain("77 open files");
  expect(after.sandbox).toContain("77 open files");
  expect(describeServer({ toolwright: made, mcpUrl: "http://x/mcp", hasToken: false })).toContain("77 open files");
  expect(said.join("")).toMatch(/Policy loaded: .*policy\.yaml \(revision [0-9a-f]{12}\)\.\nSandbox: .*77 open files/);
});

test("a policy that appears in the configuration folder is taken without a restart, though the folder was not there", async () => {
  const made = await compose();
  expect(made.policy.files[0]).toBeUndefined();
  expect(describeServer({ toolwright: made, mcpUrl: "http://x/mcp", hasToken: false })).toMatch(
    / Agents {5}.*the demo model.* Policy {5}the built-in default/s,
  );
  await put(home, host);
  await eventually(() => expect(made.policy.files[0]).toBe(join(root, home)));
  expect(made.sandbox.limits).toEqual({ openFiles: 77 });
  expect(describeServer({ toolwright: made, mcpUrl: "http://x/mcp", hasToken: false })).toContain(`Policy     ${join(root, home)}`);
});

test("a policy that is gone from the configuration folder stays in force", async () => {
  await put(home, "version: 1\nautonomy: read_only\n");
  const made = await compose();
  await rm(join(root, home));
  await eventually(() => expect(said.join("")).toMatch(/cannot be read.*stays in force/s));
  expect(made.policy.files[0]).toBe(join(root, home));
});

test("a policy that appears where tools may write is refused (R-AP-8)", async () => {
  await mkdir(join(root, "home"));
  const made = await compose({ workspace: "home" });
  await put(home, "version: 1\nautonomy: full\n");
  await eventually(() => expect(said.join("")).toMatch(/policy file .* lies in the workspace/));
  expect(made.policy.files[0]).toBeUndefined();
});

test("a policy that was named is not replaced by one of the configuration folder", async () => {
  await put("policy.yaml", "version: 1\nautonomy: read_only\n");
  const made = await compose({ policy: "policy.yaml" });
  await put(home, "version: 1\nautonomy: full\n");
  await put("policy.yaml", "version: 1\nautonomy: supervised\n");
  await eventually(() => expect(said.join("")).toContain("Policy loaded"));
  expect(made.policy.files[0]).toBe(join(root, "policy.yaml"));
});

test("what has been over for long is removed at the start, and what expired is told of", async () => {
  const first = await openStore({ url: database.url, folder: root, process: "prc_first", holder: "test" });
  for (const days of [1, 31]) {
    const record = { id: `apr_${days}`, callId: "call_1", tool: "exec", principal: { tenant: "default" }, createdAt: 1 };
    await first.approvals.create({ ...record, expiresAt: Date.now() - days * 86_400_000 } as ApprovalRecord);
  }
  await first.close();
  const made = await compose();
  await eventually(() => expect(said.join("")).toContain("Approval apr_1 of exec expired: nobody answered it in time."));
  await vi.waitFor(async () => expect(await made.approvals.get("default", "apr_31")).toBeUndefined(), { timeout: 15_000, interval: 20 });
  expect(await made.approvals.get("default", "apr_1")).toMatchObject({ expiredAt: expect.any(Number) });
});
