import { afterEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { digest } from "../../contract/digest.ts";
import { ANSWER_APPROVALS } from "../../contract/permissions.ts";
import type { Principal } from "../../contract/principal.ts";
import { createEngine } from "../../engine.ts";
import type { EngineOptions } from "../../engine-types.ts";
import { createMemoryEventLog } from "../../memory/event-log.ts";
import { createMemoryGrantStore } from "../../memory/grant-store.ts";
import { defaultPolicy } from "../../policy/document/policy-document.ts";
import { describeGrant } from "../../policy/grants/grant-text.ts";
import type { GrantTerms } from "../../ports/grant-store.ts";
import type { Scope } from "../../scope-types.ts";
import { createManualClock } from "../../testing/manual-clock.ts";
import { sharedSessions } from "../../testing/shared-sessions.ts";
import { type AnyTool, defineTool } from "../../tool/define-tool.ts";

const agent: Principal = { tenant: "acme", actor: { kind: "agent", id: "helper" }, agent: "helper", permissions: [], door: "mcp" };
const other: Principal = { ...agent, actor: { kind: "agent", id: "other" }, agent: "other" };
const job: Principal = { ...agent, unattended: true, runtime: "schedule" };
const person: Principal = {
  tenant: "acme",
  actor: { kind: "user", id: "ann" },
  permissions: [ANSWER_APPROVALS],
  door: "cli",
  interactive: true,
};

const ran = vi.fn();
afterEach(() => ran.mockClear());

const runCommand = (description = "Runs a command.") =>
  defineTool({
    name: "shell",
    description,
    input: z.object({ command: z.string().describe("Command"), workdir: z.string().nullish().describe("Folder") }),
    output: z.object({ ok: z.boolean() }),
    effects: { exec: "run" },
    reaches: ({ command, workdir }) => [{ kind: "command", command, workdir: workdir ?? null }],
    run: (input) => {
      ran(input.command);
      return { ok: true };
    },
  }) as AnyTool;
const send = defineTool({
  name: "send",
  description: "Sends something to a host.",
  input: z.object({ url: z.string().describe("URL"), method: z.string().describe("Method") }),
  output: z.object({ ok: z.boolean() }),
  effects: { http: "write" },
  reaches: ({ url, method }) => [{ kind: "request", url, method }],
  run: () => ({ ok: true }),
}) as AnyTool;
const touch = defineTool({
  name: "touch",
  description: "Touches a file.",
  input: z.object({ path: z.string().describe("Path") }),
  output: z.object({ ok: z.boolean() }),
  effects: { files: "write" },
  reaches: ({ path }) => [{ kind: "path", path, access: "write" }],
  run: () => ({ ok: true }),
}) as AnyTool;
const deploy = defineTool({
  name: "deploy",
  description: "Deploys a release.",
  input: z.object({ to: z.string().describe("Where") }),
  output: z.object({ ok: z.boolean() }),
  effects: { destructive: true },
  run: () => ({ ok: true }),
}) as AnyTool;
const pay = defineTool({
  name: "pay",
  description: "Pays an amount of money.",
  input: z.object({}),
  output: z.object({ ok: z.boolean() }),
  approval: "always_ask",
  run: () => ({ ok: true }),
}) as AnyTool;
const noOp = { open: () => ({}) };

function setUp(options: EngineOptions & { description?: string } = {}) {
  const clock = createManualClock();
  const grants = options.grants ?? createMemoryGrantStore();
  const events = createMemoryEventLog();
  const engine = createEngine({
    tools: [runCommand(options.description), send, touch, deploy, pay],
    sessions: sharedSessions({ ids: ["s1", "s2"] }),
    capabilities: ["exec", "http", "files"].map((name) => ({ name, ...noOp }) as never),
    machine: () => ({ sandbox: { available: true, detail: "test" } }),
    clock,
    grants,
    events,
    ...options,
  });
  const scopeOf = (principal: Principal, session = "s1") => engine.scope(principal, { session });
  return { engine, clock, grants, events, scopeOf, ann: scopeOf(person) };
}

async function pendingId(scope: Scope, tool: string, input: unknown): Promise<string> {
  const result = await scope.invokeNamed(tool, input);
  if (result.status !== "pending") throw new Error(`expected pending, got ${JSON.stringify(result)}`);
  return result.approval.id;
}

/** An agent asks, Ann approves and has it remembered. */
async function remember(
  set: ReturnType<typeof setUp>,
  [tool, input]: readonly [string, unknown],
  terms: GrantTerms = { scope: "session" },
) {
  await set.ann.answer(await pendingId(set.scopeOf(agent), tool, input), { kind: "approve", remember: terms });
}

const run = (scope: Scope, command: string, workdir?: string) =>
  scope.invokeNamed("shell", { command, ...(workdir !== undefined && { workdir }) });

describe("a remembered yes", () => {
  it("lets the same command run unasked, and says which grant did", async () => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }]);
    const [grant] = await set.ann.grants();
    const result = await run(set.scopeOf(agent), "npm test");
    expect(result).toMatchObject({ status: "done", decision: { effect: "allow", rule: `grant:${grant?.record.id}` } });
    expect((await set.ann.grants())[0]).toMatchObject({ used: 1 });
    const types = (await set.events.read({ tenant: "acme", session: "s1" })).map(({ event }) => [event.type, event.data.rule]);
    expect(types).toContainEqual(["tool.started", `grant:${grant?.record.id}`]);
  });

  it("is proposed as narrow as it can be, and shown before it is saved", async () => {
    const { ann, scopeOf } = setUp();
    const id = await pendingId(scopeOf(agent), "shell", { command: "timeout 5 npm test && ls" });
    expect(await ann.proposeGrant(id)).toMatchObject({
      allows: [{ kind: "command", pattern: "npm test" }],
      matches: ["npm test"],
      notMatches: expect.arrayContaining(["npm test && rm x", "npm test extra"]),
    });
    expect(await ann.grants()).toEqual([]);
  });

  it("is told in plain words", async () => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }], { scope: "session", maxUses: 5 });
    const [grant] = await set.ann.grants();
    expect(grant && describeGrant(grant)).toMatch(
      /^Allows `npm test` with the tool shell for agent helper in the session "s1" until .* UTC, used 0 of 5 times\. .* Would match `npm test`, not .*`npm test && rm x`/,
    );
  });

  const uncovered: [string, string, string?][] = [
    ["another command", "npm run build"],
    ["more on the line", "npm test && rm -r x"],
    ["more words", "npm test --watch"],
    ["a redirect", "npm test > out.txt"],
    ["a variable that changes what runs", "NODE_OPTIONS=--require=./x.js npm test"],
    ["another folder by workdir", "npm test", "packages/evil"],
    ["another folder by cd", "cd evil && npm test"],
    ["a file put in place before it", "tee package.json < evil.json && npm test"],
    ["a substitution", "npm test $(rm x)"],
    ["the same words twice, once elsewhere", "npm test && cd evil && npm test"],
  ];
  it.each(uncovered)("does not cover %s", async (_, command, workdir) => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }]);
    expect((await run(set.scopeOf(agent), command, workdir)).status).toBe("pending");
    expect((await set.ann.grants())[0]?.used).toBe(0);
  });

  it("covers the command within a wrapper that changes nothing, and beside what needs no yes (R-EX-6)", async () => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }]);
    expect((await run(set.scopeOf(agent), "timeout 60 npm test && ls")).status).toBe("done");
  });

  it.each([
    ["an interpreter", "python3 build.py"],
    ["a script of the workspace", "./build.sh"],
    ["a wrapper that runs code", "sudo make"],
    ["a shell", "bash build.sh"],
    ["a substitution", "echo $(date) > now"],
    ["input from elsewhere", "cat list | xargs rm"],
  ])("is refused for %s, and nothing is answered by that (R-AP-9)", async (_, command) => {
    const { ann, scopeOf } = setUp({
      policy: [
        { tier: "platform", document: { ...defaultPolicy, commands: { ...defaultPolicy.commands, block_high_risk: false } as never } },
      ],
    });
    const id = await pendingId(scopeOf(agent), "shell", { command });
    await expect(ann.answer(id, { kind: "approve", remember: { scope: "agent" } })).rejects.toMatchObject({ code: "grant_refused" });
    expect(await ann.grants()).toEqual([]);
    await ann.answer(id, { kind: "approve" });
  });

  it("ends with its time and with its count", async () => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }], { scope: "agent", forMs: 1000, maxUses: 2 });
    for (const status of ["done", "done", "pending"]) expect((await run(set.scopeOf(agent), "npm test")).status).toBe(status);
    await remember(set, ["shell", { command: "make all" }], { scope: "agent", forMs: 1000 });
    await set.clock.advance(1000);
    expect((await run(set.scopeOf(agent), "make all")).status).toBe("pending");
  });

  it("is never used more often than its count, however many calls come at once", async () => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }], { scope: "agent", maxUses: 5 });
    const results = await Promise.all(Array.from({ length: 40 }, () => run(set.scopeOf(agent), "npm test")));
    expect(results.filter(({ status }) => status === "done")).toHaveLength(5);
    expect(ran).toHaveBeenCalledTimes(5);
  });

  it("ends at once when it is revoked", async () => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }]);
    const id = (await set.ann.grants())[0]?.record.id ?? "";
    await set.ann.revokeGrant(id);
    expect((await run(set.scopeOf(agent), "npm test")).status).toBe("pending");
    expect(await set.ann.grants()).toEqual([]);
  });

  it("does not hold for another definition of the tool", async () => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }], { scope: "tenant" });
    const changed = setUp({ grants: set.grants, description: "Runs a command as root." });
    expect((await run(changed.scopeOf(agent), "npm test")).status).toBe("pending");
  });

  it("overrides no denial (R-AP-1)", async () => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }], { scope: "tenant" });
    set.engine.setPolicy([{ tier: "platform", document: { ...defaultPolicy, tools: { deny: ["shell"] } } }]);
    expect((await run(set.scopeOf(agent), "npm test")).status).toBe("denied");
    expect((await run(set.scopeOf(job), "npm test")).status).toBe("denied");
  });

  it("covers a tool that is asked about as such only when it covers all that the call names", async () => {
    const set = setUp({ policy: [{ tier: "platform", document: { ...defaultPolicy, tools: { ask: ["shell"] } } }] });
    await remember(set, ["shell", { command: "npm test" }]);
    expect((await run(set.scopeOf(agent), "npm test")).status).toBe("done");
    expect((await run(set.scopeOf(agent), "npm test && ls")).status).toBe("pending");
    expect((await run(set.scopeOf(agent), "true")).status).toBe("pending");
  });
});

describe("what is remembered of other calls", () => {
  it.each([
    [
      "a request: its host and method",
      "send",
      { url: "https://api.example.org/a", method: "POST" },
      { url: "https://api.example.org/b", method: "POST" },
      { url: "https://api.example.org/b", method: "DELETE" },
    ],
    [
      "a request: not another host",
      "send",
      { url: "https://api.example.org/a", method: "POST" },
      { url: "https://api.example.org/b", method: "POST" },
      { url: "https://evil.example/", method: "POST" },
    ],
    ["a path: it and no sibling", "touch", { path: "conf/.env" }, { path: "conf/.env" }, { path: ".env" }],
    ["a path: not by climbing", "touch", { path: "conf/.env" }, { path: "conf/.env" }, { path: "conf/.env/../../.env" }],
    ["a tool that names nothing: the very input", "deploy", { to: "staging" }, { to: "staging" }, { to: "production" }],
  ])("%s", async (...[, tool, asked, same, different]) => {
    const set = setUp();
    await remember(set, [tool, asked]);
    expect(await set.scopeOf(agent).invokeNamed(tool, same)).toMatchObject({ status: "done" });
    expect((await set.scopeOf(agent).invokeNamed(tool, different)).status).not.toBe("done");
  });

  it("nothing, of a tool that asks before each call", async () => {
    const { ann, scopeOf } = setUp();
    const id = await pendingId(scopeOf(agent), "pay", {});
    await expect(ann.proposeGrant(id)).rejects.toMatchObject({
      code: "grant_refused",
      message: expect.stringMatching(/asks before each call/),
    });
    await expect(ann.grant({ tool: "pay", scope: "agent", allows: [{ kind: "input", digest: digest({}) }] })).rejects.toMatchObject({
      code: "grant_refused",
    });
  });
});

describe("for whom it holds", () => {
  it.each<[GrantTerms["scope"], Principal, string, string]>([
    ["session", agent, "s1", "done"],
    ["session", agent, "s2", "pending"],
    ["session", other, "s1", "pending"],
    ["agent", agent, "s2", "done"],
    ["agent", other, "s1", "pending"],
    ["tenant", other, "s2", "done"],
    ["tenant", { ...agent, tenant: "rival" }, "s1", "pending"],
  ])("scope %s, %o in session %s: %s", async (scope, principal, session, status) => {
    const set = setUp();
    await remember(set, ["shell", { command: "npm test" }], { scope });
    expect((await run(set.scopeOf(principal, session), "npm test")).status).toBe(status);
  });
});

describe("a run without a person", () => {
  it("runs what a grant covers, and is denied the rest", async () => {
    const set = setUp();
    await set.ann.grant({ tool: "shell", agent: "helper", scope: "agent", allows: [{ kind: "command", pattern: "npm test" }] });
    expect((await run(set.scopeOf(job, "nightly"), "npm test")).status).toBe("done");
    expect(await run(set.scopeOf(job, "nightly"), "npm publish")).toMatchObject({
      status: "denied",
      decision: { rule: "default.unattended" },
    });
  });
});

describe("who may give one (R-AP-6)", () => {
  const wanted = { tool: "shell", scope: "tenant", allows: [{ kind: "command", pattern: "npm test" }] } as const;
  it.each<[string, Principal]>([
    ["an agent", { ...agent, permissions: [ANSWER_APPROVALS], interactive: true }],
    ["a service", { ...person, actor: { kind: "service", id: "ci" } }],
    ["a person whom no door can reach now", { ...person, interactive: false }],
    ["a person without the permission, for others", { ...person, permissions: [] }],
  ])("not %s", async (_, principal) => {
    const { scopeOf, ann } = setUp();
    await expect(scopeOf(principal).grant(wanted)).rejects.toMatchObject({ code: "grant_not_allowed" });
    expect(await ann.grants()).toEqual([]);
  });

  it("a person for their own calls", async () => {
    const { scopeOf } = setUp();
    const own = scopeOf({ ...person, permissions: [] });
    await own.grant({ ...wanted, scope: "agent" });
    expect((await run(own, "npm test")).status).toBe("done");
  });

  it.each([
    ["an interpreter", { kind: "command", pattern: "python3 *" }],
    ["a wrapper", { kind: "command", pattern: "env *" }],
    ["a wildcard for the program", { kind: "command", pattern: "*" }],
    ["a substitution", { kind: "command", pattern: "echo '$(date)'" }],
    ["a pattern of more than 4,096 characters", { kind: "command", pattern: `npm ${"*a".repeat(2_047)}` }],
    ["every host", { kind: "request", host: "*", method: "GET" }],
    ["a path that climbs", { kind: "path", prefix: "../x", access: "write" }],
    ["an input of a tool that names what it reaches", { kind: "input", digest: digest({}) }],
  ] as const)("and not for %s (R-AP-9)", async (_, predicate) => {
    const { ann } = setUp();
    await expect(ann.grant({ ...wanted, allows: [predicate] })).rejects.toMatchObject({ code: "grant_refused" });
  });

  it("and not for more than 200 things", async () => {
    const allows = Array.from({ length: 201 }, (_, index) => ({ kind: "command", pattern: `npm test ${index}` }) as const);
    await expect(setUp().ann.grant({ ...wanted, allows })).rejects.toMatchObject({ code: "grant_refused" });
  });

  it("tells strangers of no grant, and lets them revoke none", async () => {
    const set = setUp();
    const { record } = await set.ann.grant({ ...wanted, scope: "agent" });
    const stranger = set.scopeOf({ ...person, actor: { kind: "user", id: "bob" }, permissions: [] });
    expect(await stranger.grants()).toEqual([]);
    await expect(stranger.revokeGrant(record.id)).rejects.toMatchObject({ code: "grant_not_found" });
    await expect(set.scopeOf({ ...person, tenant: "rival" }).revokeGrant(record.id)).rejects.toMatchObject({ code: "grant_not_found" });
  });
});

it("without its store nothing is remembered, and the call asks (law 4)", async () => {
  const broken = { ...createMemoryGrantStore(), list: () => Promise.reject(new Error("disk")) };
  const { scopeOf } = setUp({ grants: broken });
  expect((await run(scopeOf(agent), "npm test")).status).toBe("pending");
  expect((await run(scopeOf(job), "npm test")).status).toBe("denied");
});

it("a call that is allowed anyway never looks at grants", async () => {
  const list = vi.fn();
  const { scopeOf } = setUp({ grants: { ...createMemoryGrantStore(), list } });
  expect((await run(scopeOf(agent), "ls")).status).toBe("done");
  expect(list).not.toHaveBeenCalled();
});
