import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { access, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CallResult,
  createEngine,
  defineTool,
  type PolicyDocument,
  parsePolicyDocument,
  type Reach,
  type Scope,
} from "@toolwright/engine";
import { compilePolicy } from "@toolwright/engine/policy";
import { createMemorySecretStore } from "@toolwright/engine/ports";
import { createBwrapDriver, createHostDriver, execCapability, filesCapability, httpCapability } from "@toolwright/sandbox";
import { builtinPermissions, fileTools, netTools, runtimeTools } from "@toolwright/tools";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";

/** Ten defects that tool systems are known for, each tried on the whole product: built-in tools, policy, gate, sandbox. */

const drivers = [createBwrapDriver(), createHostDriver()];
const canSearch = spawnSync("rg", ["--version"]).status === 0;
const { available } = await (drivers[0] as (typeof drivers)[number]).probe();

let root: string;
let workspace: string;
const cleanups: (() => unknown)[] = [];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-defects-"));
  workspace = join(root, "work");
  await mkdir(workspace);
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await rm(root, { recursive: true, force: true });
});

const everything = { version: 1, autonomy: "full", commands: { mode: "full", block_high_risk: false, approve_medium_risk: false } };

function openScope(document: unknown = everything): Scope {
  const workspaceOf = () => workspace;
  const driver = drivers[available ? 0 : 1];
  const engine = createEngine({
    tools: [...fileTools, ...runtimeTools, ...netTools],
    policy: [{ tier: "platform", document: parsePolicyDocument(document) }],
    capabilities: [filesCapability({ workspaceOf, ...(driver && { driver }) }), execCapability({ workspaceOf, drivers }), httpCapability()],
    machine: () => ({ sandbox: { available, detail: "" } }),
  });
  return engine.scope(
    { tenant: "acme", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" },
    { session: "s" },
  );
}

const textOf = (result: CallResult) => JSON.stringify(result);
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

describe("1. a workspace whose name begins like another folder's", () => {
  beforeEach(async () => {
    await mkdir(join(root, "work2"));
    await writeFile(join(root, "work2/secret.txt"), "canary");
  });

  test.each([
    ["relative", () => "../work2/secret.txt"],
    ["absolute", () => join(root, "work2/secret.txt")],
  ])("is not left by a path that is %s", async (_, path) => {
    for (const tool of ["file_read", "file_list", "file_delete"]) {
      const result = await openScope().invokeNamed(tool, { path: path() });
      expect(result.status, tool).not.toBe("done");
      expect(textOf(result)).not.toContain("canary");
    }
    const written = await openScope().invokeNamed("file_write", { path: path(), content: "x" });
    expect(written.status).not.toBe("done");
    expect(readFileSync(join(root, "work2/secret.txt"), "utf8")).toBe("canary");
  });
});

test.each([
  "git status; touch made",
  "git status && touch made",
  "git status | tee made",
  "git status $(touch made)",
  "git status `touch made`",
  "git status > made",
  "git status\ntouch made",
  "env touch made",
])("2. a rule for git status does not carry %j", async (command) => {
  const rules = [{ pattern: "git status *", effect: "allow" }];
  const result = await openScope({ version: 1, commands: { mode: "allowlist", rules } }).invokeNamed("exec", { command });
  expect(["pending", "denied"]).toContain(result.status);
  expect(await readdir(workspace)).toEqual([]);
});

test.runIf(available)("3. a command sees nothing of the server's environment (R-EX-7)", async () => {
  const names = ["AWS_SECRET_ACCESS_KEY", "LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "GIT_SSH_COMMAND", "TOOLWRIGHT_TOKEN"];
  for (const name of names) process.env[name] = `canary-${name}`;
  cleanups.push(() => {
    for (const name of names) Reflect.deleteProperty(process.env, name);
  });
  const result = await openScope().invokeNamed("exec", { command: "env" });
  expect(result.status).toBe("done");
  expect(textOf(result)).not.toMatch(/canary/);
});

test.runIf(available)("4. a timeout ends the whole tree, not only the wait (R-EX-10)", async () => {
  await writeFile(join(workspace, "tree.sh"), "setsid sleep 4747 & nohup sleep 4747 & (sleep 4747 & sleep 4747) & sleep 4747");
  const result = await openScope().invokeNamed("exec", { command: "bash tree.sh", timeout: 1 });
  expect(textOf(result)).toMatch(/timeout|timed out/i);
  await expect.poll(() => countProcesses("sleep 4747"), { timeout: 5000 }).toBe(0);
});

test.runIf(canSearch).each(["--pre=touch made", "--files", "-f/etc/passwd", "--version"])(
  "5. a search for %j searches for it and runs nothing",
  async (pattern) => {
    await writeFile(join(workspace, "a.txt"), `before\n${pattern}\n`);
    const result = await openScope().invokeNamed("file_search", { type: "grep", literal: true, pattern });
    expect(result.status).toBe("done");
    expect(textOf(result)).toContain("a.txt");
    expect(await exists(join(workspace, "made"))).toBe(false);
  },
);

describe("6. a fetch", () => {
  test.each(["http_request", "web_fetch"])("of a local address by %s is refused before anything is sent", async (tool) => {
    const { port, requests } = await startServer();
    for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"]) {
      const result = await openScope().invokeNamed(tool, { url: `http://${host}:${port}/` });
      expect(result.status, host).not.toBe("done");
    }
    expect(requests()).toBe(0);
  });

  test("has an end, however long the body is", async () => {
    const { port } = await startServer("x".repeat(30_000_000));
    const network = { allow: [`127.0.0.1:${port}`], allow_ranges: ["127.0.0.0/8"] };
    const result = await openScope({ ...everything, network }).invokeNamed("http_request", { url: `http://127.0.0.1:${port}/` });
    expect(result.status, textOf(result).slice(0, 300)).toBe("done");
    expect(textOf(result).length).toBeLessThan(1_000_000);
  });
});

test("7. a name that is taken refuses to load, and the first tool stays", () => {
  const tool = (description: string) =>
    defineTool({ name: "twice", description, input: z.object({}), output: z.object({}), run: () => ({}) });
  const engine = createEngine({ tools: [tool("The first of two tools of one name.")] });
  expect(() => engine.register([tool("The second of two tools of one name.")])).toThrow(/"twice" is taken/);
  const scope = engine.scope(
    { tenant: "t", actor: { kind: "user", id: "u" }, permissions: builtinPermissions, door: "cli" },
    { session: "s" },
  );
  expect(scope.find("twice")?.description).toContain("first");
});

describe("8. every field of a policy does something", () => {
  const base: Record<string, unknown> = { version: 1, commands: { mode: "full" } };
  const commands = (more: object) => ({ ...base, commands: { mode: "full", ...more } });
  const sandbox = (more: object) => ({ ...base, sandbox: more });
  const changes: Readonly<Record<string, object>> = {
    autonomy: { ...base, autonomy: "read_only" },
    "tools.allow": { ...base, tools: { allow: ["file_read"] } },
    "tools.deny": { ...base, tools: { deny: ["exec"] } },
    "tools.ask": { ...base, tools: { ask: ["file_read"] } },
    "commands.mode": commands({ mode: "deny" }),
    "commands.block_high_risk": commands({ block_high_risk: false }),
    "commands.approve_medium_risk": commands({ approve_medium_risk: false }),
    "commands.builtin_rules": commands({ mode: "allowlist", builtin_rules: false }),
    "commands.rules.pattern": commands({ rules: [{ pattern: "npm test", effect: "deny" }] }),
    "commands.rules.effect": commands({ rules: [{ pattern: "ls *", effect: "ask" }] }),
    "paths.forbidden": { ...base, paths: { forbidden: ["/srv/secret"] } },
    "paths.roots.path": { ...base, paths: { roots: [{ path: "/srv/data", access: "read" }] } },
    "paths.roots.access": { ...base, paths: { roots: [{ path: "/srv/data", access: "write" }] } },
    "network.allow": { ...base, network: { allow: ["example.com"] } },
    "network.deny": { ...base, network: { deny: ["example.org"] } },
    "network.allow_ranges": { ...base, network: { allow_ranges: ["10.0.0.0/8"] } },
    "sandbox.mode": sandbox({ mode: "host" }),
    "sandbox.network": sandbox({ network: "host" }),
    "sandbox.unavailable": sandbox({ unavailable: "ask" }),
    "sandbox.git": sandbox({ git: "writable" }),
    "sandbox.max_memory_mb": sandbox({ max_memory_mb: 64 }),
    "sandbox.max_cpu_percent": sandbox({ max_cpu_percent: 10 }),
    "sandbox.max_processes": sandbox({ max_processes: 7 }),
    "sandbox.max_written_mb": sandbox({ max_written_mb: 7 }),
    "sandbox.max_file_size_mb": sandbox({ max_file_size_mb: 7 }),
    "sandbox.max_open_files": sandbox({ max_open_files: 7 }),
    "sandbox.timeout_seconds": sandbox({ timeout_seconds: 7 }),
    "sandbox.max_output_kb": sandbox({ max_output_kb: 7 }),
    rates: { ...base, rates: { act: "3/h" } },
    after_foreign: { ...base, after_foreign: { outside: "none" } },
  };

  test.each(Object.entries(changes))("%s", (field, document) => {
    const reference = field === "commands.builtin_rules" ? commands({ mode: "allowlist" }) : base;
    expect(observe(document)).not.toEqual(observe(reference));
  });

  test.each([
    ["match", { pattern: "npm test", effect: "allow", match: ["npm publish"] }],
    ["not_match", { pattern: "npm *", effect: "allow", not_match: ["npm publish"] }],
  ])("commands.rules.%s refuses a rule that does not keep it", (_, rule) => {
    expect(() => observe(commands({ rules: [rule] }))).toThrow(/npm publish/);
  });

  const asking = { ...base, tools: { ask: ["exec"] } };
  const askingRule = (quorum: object) => ({
    ...base,
    commands: { mode: "full", rules: [{ pattern: "npm publish *", effect: "ask", quorum: { approvers: 1, ...quorum } }] },
  });
  /** What a member asks of the approval, as the finding that says so. */
  const demands: Readonly<Record<string, { document: object; demand: object }>> = {
    "approvals.grants": { document: { ...asking, approvals: { grants: false } }, demand: { grantable: false } },
    ...Object.fromEntries(
      ["approvals.quorum", "commands.rules.quorum"].flatMap((place) => {
        const within = (quorum: object) =>
          place === "approvals.quorum" ? { ...asking, approvals: { quorum: [{ approvers: 1, ...quorum }] } } : askingRule(quorum);
        return [
          [`${place}.approvers`, { document: within({ approvers: 3 }), demand: { quorum: expect.objectContaining({ approvers: 3 }) } }],
          [
            `${place}.permission`,
            { document: within({ permission: "p" }), demand: { quorum: expect.objectContaining({ permission: "p" }) } },
          ],
          [
            `${place}.not_requester`,
            { document: within({ not_requester: true }), demand: { quorum: expect.objectContaining({ notRequester: true }) } },
          ],
        ];
      }),
    ),
  };

  test.each(Object.entries(demands))("%s", (_, { document, demand }) => {
    expect(findingsFor(document)).toContainEqual(expect.objectContaining(demand));
  });

  test("approvals.quorum.tools", () => {
    const quorumFor = (tools: string[]) => findingsFor({ ...asking, approvals: { quorum: [{ tools, approvers: 2 }] } });
    expect(quorumFor(["exec"])).toContainEqual(expect.objectContaining({ quorum: { approvers: 2 } }));
    expect(quorumFor(["file_read"]).filter(({ quorum }) => quorum)).toEqual([]);
  });

  /** Words for people, and what has a test of its own above or in the attack on foreign words. */
  const elsewhere = [
    "approvals.quorum.tools",
    "version",
    "commands.rules.comment",
    "commands.rules.added_by",
    "commands.rules.match",
    "commands.rules.not_match",
    "commands.rules.after_foreign",
  ];

  test("and no field is missing here", async () => {
    const { policyDocument } = await import("@toolwright/engine/policy");
    const known = leavesOf(z.toJSONSchema(policyDocument, { io: "input" }) as Schema);
    expect([...Object.keys(changes), ...Object.keys(demands), ...elsewhere].sort()).toEqual(known.sort());
  });
});

test("9. of an unexpected error a caller gets neither stack nor host paths nor secrets; the operator gets the stack", async () => {
  const broken = defineTool({
    name: "broken",
    description: "Throws an error whose words are not all for a model.",
    input: z.object({}),
    output: z.object({}),
    effects: { secrets: ["API_KEY"] },
    async run(_, { secrets }) {
      throw new Error(`could not read /home/admin/.config/key with ${await secrets.get("API_KEY")}\n    at connect (/srv/app/db.js:1:1)`);
    },
  });
  const logged: unknown[] = [];
  const secrets = createMemorySecretStore();
  await secrets.set({ tenant: "t", name: "API_KEY" }, "canary-of-a-secret");
  const engine = createEngine({ tools: [broken], secrets, logger: { log: (...entry) => void logged.push(entry) } });
  const scope = engine.scope(
    { tenant: "t", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" },
    { session: "s" },
  );
  const result = await scope.invoke("broken", {});
  expect(result).toMatchObject({ status: "failed", error: { code: "tool_error" } });
  expect(textOf(result)).not.toMatch(/canary|\/home\/admin|db\.js|known-defects/);
  expect(JSON.stringify(logged)).toContain("known-defects");
  expect(JSON.stringify(logged)).not.toContain("canary");
});

describe("10. an argument of the model approves nothing", () => {
  test.each(["approved", "confirm", "skip_approval", "sandbox"])("%s beside a command", async (name) => {
    const result = await openScope({ version: 1 }).invokeNamed("exec", { command: "touch made", [name]: name !== "sandbox" });
    expect(result.status).not.toBe("done");
    expect(await readdir(workspace)).toEqual([]);
  });

  test("no built-in tool has a field of that kind", () => {
    const fields = openScope()
      .list()
      .flatMap(({ inputSchema }) => Object.keys((inputSchema.properties ?? {}) as object));
    expect(fields.filter((field) => /approv|confirm|unsafe|sandbox|force_run|privileged/i.test(field))).toEqual([]);
  });
});

/** All that is said of publishing with exec under a policy. */
function findingsFor(document: unknown) {
  const policy = compilePolicy([{ tier: "platform", document: parsePolicyDocument(document) as PolicyDocument }]);
  const exec = { name: "exec", group: "g", effects: { exec: "run" }, approval: "auto" } as const;
  const principal = { tenant: "t", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" } as const;
  const reach: Reach = { kind: "command", command: "npm publish --dry-run" };
  return policy.decide(exec, [reach], { sandbox: { available: true, detail: "" } }, principal).findings;
}

/** What a policy decides and enforces, without the hash of its text. */
function observe(document: unknown) {
  const policy = compilePolicy([{ tier: "platform", document: parsePolicyDocument(document) as PolicyDocument }]);
  const commands = ["ls -l", "npm test", "git push", "rm -rf /", "touch x"].map((command): Reach => ({ kind: "command", command }));
  const reaches: readonly Reach[] = [
    ...commands,
    { kind: "path", path: "/srv/secret/x", access: "read" },
    { kind: "request", url: "https://example.org/", method: "GET" },
    { kind: "request", url: "https://example.com/", method: "GET" },
  ];
  const principal = { tenant: "t", actor: { kind: "agent", id: "a" }, permissions: builtinPermissions, door: "mcp" } as const;
  const facts = (name: string, effects: object) => ({ name, group: "g", effects, approval: "auto" }) as const;
  const exec = facts("exec", { exec: "run" });
  const machine = { sandbox: { available: false, detail: "" } };
  return {
    reaches: reaches.map((reach) => policy.decide(exec, [reach], { sandbox: { available: true, detail: "" } }, principal).effect),
    unavailable: policy.decide(exec, [{ kind: "command", command: "ls -l" }], machine, principal).effect,
    tools: [policy.decideTool(facts("file_read", { files: "read" })).effect, policy.decideTool(exec).effect],
    rates: policy.ratesFor(exec).map(({ rate }) => rate),
    afterForeign: policy.afterForeign(facts("send", { http: "write" }), () => [], { sandbox: { available: true, detail: "test" } })?.need,
    paths: policy.paths,
    network: policy.network,
    sandbox: policy.sandbox,
  };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function leavesOf(schema: Schema, path = ""): string[] {
  const properties = schema.properties ?? schema.items?.properties;
  if (!properties) return [path];
  return Object.entries(properties).flatMap(([name, inner]) => leavesOf(inner, path === "" ? name : `${path}.${name}`));
}

async function startServer(body = "canary"): Promise<{ port: number; requests: () => number }> {
  let count = 0;
  const server: Server = createServer((_, response) => {
    count += 1;
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests: () => count };
}

async function countProcesses(words: string): Promise<number> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const lines = pids.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    } catch {
      return "";
    }
  });
  return lines.filter((line) => line.startsWith(words)).length;
}
