import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RUN_AGENTS, sha256 } from "@toolwright/engine/ports";
import { createKeyring, toMasterKey } from "@toolwright/postgres";
import { createBwrapDriver } from "@toolwright/sandbox";
import { composeToolwright, type Toolwright } from "@toolwright/server";
import { builtinPermissions } from "@toolwright/tools";
import { type Io, readSettings } from "toolwright";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerOf, otherId } from "./compare-answers.ts";
import { colleague, owner, principalOf, sessionOf, stranger } from "./open-world.ts";
import { allTools, closedUrl, outputOf, type ToolCase, type ToolWorld, toolCases, toolsOfNobody } from "./tool-cases.ts";

const driver = createBwrapDriver();
const sandboxed = (await driver.probe()).available;
await driver.close();

/** How long a command took, and when a file was written. */
const ownOfRuns = [/\(\d+\.\d s\)/g, /"(modifiedAt|startedAt)":[\d.]+/g];

describe("what belongs to another tenant or person is like what there is not, tools (R-TN-3, R-SE-1)", () => {
  const closing: (() => unknown)[] = [];
  let root: string;
  let toolwright: Toolwright;
  let world: ToolWorld;
  let made = 0;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "toolwright-two-tenants-"));
    // Without a date, which would differ between two answers.
    const server = createServer((request, response) => {
      response.sendDate = false;
      response.end(JSON.stringify(request.headers));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    closing.push(() => server.close());
    const place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const key = randomBytes(32);
    toolwright = await openProduct([place, new URL(closedUrl).host], key);
    const secrets = await toolwright.store.openSecrets(createKeyring([toMasterKey(key)]));
    closing.push(secrets.close);
    const binding = { hosts: [`http://${place}`, new URL(closedUrl).host] };
    world = {
      server: `http://${place}/`,
      scopeOf: (who) =>
        toolwright.engine.scope({ ...principalOf(who), permissions: [...builtinPermissions, RUN_AGENTS] }, { session: sessionOf(who) }),
      operateOf: (who) => (name, input) => toolwright.engine.operate(principalOf(who), name, input),
      setSecret: (tenant, name) => secrets.set({ tenant, name }, `the value of ${tenant}`, binding).then(() => {}),
    };
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await toolwright.close();
    await rm(root, { recursive: true, force: true });
  });

  async function openProduct(hosts: readonly string[], key: Uint8Array): Promise<Toolwright> {
    await mkdir(join(root, "workspace"));
    const sandbox = sandboxed ? { mode: "bwrap", network: "none" } : { mode: "host", network: "host" };
    const network = { allow: hosts, allow_ranges: ["127.0.0.0/8"] };
    const commands = { mode: "full", block_high_risk: false, approve_medium_risk: false };
    await writeFile(
      join(root, "policy.json"),
      JSON.stringify({ version: 1, autonomy: "full", after_foreign: { outside: "none" }, commands, network, sandbox }),
    );
    const env = { HOME: join(root, "home"), PATH: process.env.PATH, XDG_CACHE_HOME: process.env.TOOLWRIGHT_TEST_CACHE };
    const io = { env: { ...env, TOOLWRIGHT_MASTER_KEY: Buffer.from(key).toString("hex") }, cwd: root, err: () => {} } as unknown as Io;
    const opened = await composeToolwright(readSettings({ policy: "policy.json" }, io), io);
    for (const tenant of [owner, stranger]) await opened.store.tenants.ensure(tenant);
    return opened;
  }

  const ask = async ({ tool, input }: ToolCase, tenant: string, id: string) => {
    const told = await answerOf(() => world.scopeOf(tenant).invokeNamed(tool, input(id, world)), id);
    return ownOfRuns.reduce((text, pattern) => text.replace(pattern, "<time>"), told);
  };
  const look = async ({ look }: ToolCase, id: string) => answerOf(() => look(world, owner, id), id);

  it("is shown of every built-in tool, or there is a reason why it need not be", () => {
    const shown = [...new Set([...toolCases.map(({ tool }) => tool), ...Object.keys(toolsOfNobody)])].sort();
    expect(shown, "Add a case to tool-cases.ts, or the reason to toolsOfNobody there.").toEqual(allTools.map(({ name }) => name).sort());
  });

  it.each(toolCases)("$tool", async (each) => {
    const id = await each.make(world, owner, `T${sha256(each.tool + String(made++)).slice(0, 15)}`);
    const before = await look(each, id);
    for (const who of each.common === undefined ? [stranger, colleague] : [stranger]) {
      // What a session is told once it is told before.
      await ask(each, who, otherId(id, 3));
      expect(await ask(each, who, id), who).toBe(await ask(each, who, otherId(id)));
      expect(await look(each, id), who).toBe(before);
    }
    // Or else neither the answer nor the look could tell a leak.
    expect((await ask(each, owner, id)) !== (await ask(each, stranger, otherId(id, 2))) || (await look(each, id)) !== before).toBe(true);
  });

  it("no tenant's workspace is in another's, and that of this machine's own tenant stays where it is", async () => {
    for (const tenant of ["default", owner, stranger])
      await outputOf(world.scopeOf(tenant), "file_write", { path: "of.txt", content: tenant });
    expect(await readdir(root)).toEqual(expect.arrayContaining(["workspace", "workspace.tenants"]));
    expect(await readdir(join(root, "workspace"))).toEqual(["of.txt"]);
    expect((await readdir(join(root, "workspace.tenants"))).sort()).toEqual([owner, stranger]);
    for (const tenant of ["default", owner, stranger]) {
      expect(JSON.stringify(await outputOf(world.scopeOf(tenant), "file_read", { path: "of.txt" }))).toContain(tenant);
    }
  });

  it.runIf(sandboxed)("no command of another tenant reads a workspace under its real name", async () => {
    await outputOf(world.scopeOf(owner), "file_write", { path: "real.txt", content: "secret" });
    const file = join(root, "workspace.tenants", owner, "real.txt");
    const run = async (tenant: string, path: string) => {
      const { exit, stdout } = await outputOf<{ exit: { exitCode: number }; stdout: string }>(world.scopeOf(tenant), "exec", {
        command: `cat ${path}`,
      });
      return { code: exit.exitCode, stdout };
    };
    expect(await run(owner, file)).toEqual({ code: 0, stdout: "secret" });
    for (const tenant of [stranger, "default"]) expect(await run(tenant, file)).toEqual({ code: 1, stdout: "" });
  });
});
