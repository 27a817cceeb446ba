import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEngine, type Engine, type Principal } from "@toolwright/engine";
import { createMemorySecretStore, silentLogger } from "@toolwright/engine/ports";
import { builtinPermissions, builtinTools } from "@toolwright/tools";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { machineCapabilities } from "../machine/machine-capabilities.ts";
import { followPolicy, readPolicy } from "./read-policy.ts";

const principal: Principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "mcp" };

let cwd: string;
let engine: Engine;
let stop: () => void;
const refused: string[] = [];
let loaded = 0;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "toolwright-policy-"));
  refused.length = 0;
  loaded = 0;
  await write("policy.yaml", "version: 1\ninclude: [more.yaml]\n");
  await write("more.yaml", "tools: { deny: [exec] }\n");
  const settings = {
    workspace: join(cwd, "workspace"),
    tenantWorkspaces: join(cwd, "workspace.tenants"),
    policyFile: join(cwd, "policy.yaml"),
  };
  const policy = await readPolicy(settings, { cwd });
  const machine = { drivers: [], look: async () => [] };
  const capabilities = machineCapabilities({ machine, workspaceOf: () => cwd, secrets: createMemorySecretStore(), logger: silentLogger });
  engine = createEngine({ tools: builtinTools, capabilities, policy: policy.tiers });
  const listener = { onLoaded: () => void loaded++, onRefused: (error: Error) => void refused.push(error.message) };
  stop = followPolicy(engine, policy, { settings, io: { cwd }, listener });
});
afterEach(async () => {
  stop();
  await engine.close();
  await rm(cwd, { recursive: true, force: true });
});

const write = (name: string, text: string) => writeFile(join(cwd, name), text);
const has = (tool: string) => engine.scope(principal, { session: "s" }).find(tool) !== undefined;
const eventually = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

test("a changed file is in force without a restart, an included one too", async () => {
  expect(has("exec")).toBe(false);
  await write("more.yaml", "tools: { deny: [file_write] }\n");
  await eventually(() => expect([has("exec"), has("file_write")]).toEqual([true, false]));
});

test("a file that an editor puts in its place counts as changed", async () => {
  await write("next", "version: 1\ntools: { deny: [file_read] }\n");
  await rename(join(cwd, "next"), join(cwd, "policy.yaml"));
  await eventually(() => expect([has("exec"), has("file_read")]).toEqual([true, false]));
});

test("a broken file is refused with file and line, and the last good policy stays in force until it is mended", async () => {
  await write("more.yaml", "tools: { deny: [exec] }\ntool: {}\n");
  await eventually(() => expect(refused).toEqual([expect.stringContaining('more.yaml:2:1: tool is not a member (did you mean "tools"?)')]));
  expect(has("exec")).toBe(false);
  await write("more.yaml", "tools: { deny: [file_write] }\n");
  await eventually(() => expect(has("exec")).toBe(true));
  expect([refused.length, loaded]).toEqual([1, 1]);
});

test("a file that is gone leaves the last good policy in force", async () => {
  await rm(join(cwd, "policy.yaml"));
  await eventually(() => expect(refused).toEqual([expect.stringMatching(/policy\.yaml:1:1: cannot be read/)]));
  expect(has("exec")).toBe(false);
});

test("a folder that was deleted and made again is followed", async () => {
  await mkdir(join(cwd, "inc"));
  await write("inc/a.yaml", "tools: { deny: [exec, file_delete] }\n");
  await write("policy.yaml", "include: [inc/a.yaml]\n");
  await eventually(() => expect(loaded).toBe(1));
  await rm(join(cwd, "inc"), { recursive: true });
  await eventually(() => expect(refused).toEqual([expect.stringContaining("there is no file inc/a.yaml")]));
  await mkdir(join(cwd, "inc"));
  await write("inc/a.yaml", "tools: { deny: [file_write] }\n");
  await eventually(() => expect(has("file_write")).toBe(false));
  await write("inc/a.yaml", "tools: { deny: [file_read] }\n");
  await eventually(() => expect([has("file_read"), has("file_write")]).toEqual([false, true]));
});

test("a file that a link leads to in another folder is followed", async () => {
  await mkdir(join(cwd, "elsewhere"));
  await write("elsewhere/a.yaml", "tools: { deny: [exec, file_delete] }\n");
  await symlink(join("elsewhere", "a.yaml"), join(cwd, "link.yaml"));
  await write("policy.yaml", "include: [link.yaml]\n");
  await eventually(() => expect(loaded).toBe(1));
  await write("elsewhere/a.yaml", "tools: { deny: [file_write] }\n");
  await eventually(() => expect([has("exec"), has("file_write")]).toEqual([true, false]));
});
