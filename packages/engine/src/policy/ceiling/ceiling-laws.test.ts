import { judgeUrl } from "@toolwright/commands/targets";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareEffects, type Reach } from "../../contract/decision.ts";
import type { Bounds, ChildOptions, Principal } from "../../contract/principal.ts";
import { compilePolicy, type PolicyTier } from "../compile-policy.ts";
import { parsePolicyDocument } from "../document/policy-document.ts";
import { policyOf } from "../policies-in-force.ts";
import { makeChild } from "./ceiling-child.ts";

const facts = { sandbox: { available: true, detail: "" } };
const parent: Principal = {
  tenant: "t",
  actor: { kind: "user", id: "ann" },
  agent: "boss",
  permissions: ["approvals:answer", "deploy"],
  door: "cli",
  interactive: true,
};
const tools = [
  { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" },
  { name: "file_write", group: "fs", effects: { files: "write" }, approval: "auto" },
  { name: "http_request", group: "net", effects: { http: "write", secrets: ["TOKEN"] }, approval: "auto" },
] as const;
const hosts = ["api.example.org", "*.example.org", "b.example", "*"];
const urls = ["https://api.example.org/", "https://b.example/", "https://c.example.org/x"];

const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const some = <T>(values: readonly T[]) => optional(fc.subarray([...values]));
const tidy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

const bounds: fc.Arbitrary<Bounds> = fc
  .record({
    tools: some(["exec", "group:fs", "http_request"]),
    commands: some(["git status *", "npm test", "ls *", "rm x"]),
    paths: some([
      { prefix: "src", access: "write" },
      { prefix: ".", access: "read" },
      { prefix: ".env", access: "read" },
    ] as const),
    hosts: some(hosts),
    secrets: some(["TOKEN"]),
    permissions: some(["deploy", "approvals:answer"]),
  })
  .map((value) => tidy(value) as Bounds);

const child = (agent: string): fc.Arbitrary<ChildOptions> =>
  fc
    .record({
      agent: fc.constant(agent),
      ceiling: optional(bounds),
      assignment: optional(bounds),
      deny: optional(bounds),
      unattended: fc.boolean(),
    })
    .map((value) => tidy(value) as ChildOptions);

const reach = fc.constantFrom<Reach>(
  { kind: "command", command: "git status --short" },
  { kind: "command", command: "npm test && ls" },
  { kind: "command", command: "rm x" },
  { kind: "command", command: "echo $(date)" },
  { kind: "path", path: "src/a.ts", access: "write" },
  { kind: "path", path: "src/../.env", access: "read" },
  { kind: "path", path: ".env", access: "read" },
  ...urls.map((url): Reach => ({ kind: "request", url, method: "GET" })),
  { kind: "request", url: "https://b.example/", method: "POST" },
);
const call = fc.record({ tool: fc.constantFrom(...tools), reaches: fc.array(reach, { maxLength: 3 }) });

const document = fc
  .record({
    version: fc.constant(1),
    autonomy: optional(fc.constantFrom("read_only", "supervised", "full")),
    tools: optional(fc.record({ deny: some(["exec", "group:fs"]), ask: some(["http_request", "exec"]) })),
    commands: optional(fc.record({ mode: fc.constantFrom("full", "allowlist", "deny"), block_high_risk: fc.boolean() })),
    network: optional(fc.record({ allow: some(hosts), deny: some(["b.example"]) })),
    sandbox: optional(
      fc.record({
        network: some(["host"]).map((list) => (list?.length ? "host" : undefined)),
        timeout_seconds: optional(fc.integer({ min: 1, max: 90 })),
      }),
    ),
  })
  .map((value) => parsePolicyDocument(tidy(value)));
const policy = fc.record({ platform: document, boss: optional(document), worker: optional(document) }).map(({ platform, boss, worker }) => {
  const tiers: PolicyTier[] = [{ tier: "platform", document: platform }];
  if (boss) tiers.push({ tier: "agent", agent: "boss", document: boss });
  if (worker) tiers.push({ tier: "agent", agent: "worker", document: worker });
  return compilePolicy(tiers);
});

const runs = { numRuns: 400 };

describe("a sub-agent is never more than its parent or its ceiling", () => {
  test("decides nothing more freely than its parent, over any policy, bounds and call, two levels deep", () => {
    fc.assert(
      fc.property(policy, child("worker"), child("helper"), call, (rules, first, second, { tool, reaches }) => {
        const line = [parent, makeChild(parent, first)] as Principal[];
        line.push(makeChild(line[1] as Principal, second));
        const decided = line.map((principal) => policyOf(rules, principal).decide(tool, reaches, facts, principal).effect);
        const judged = line.map((principal) => reaches.map((each) => policyOf(rules, principal).judge(tool, each, facts).effect));
        const listed = line.map((principal) => policyOf(rules, principal).decideTool(tool).effect);
        for (const level of [1, 2]) {
          expect(compareEffects(decided[level]!, decided[level - 1]!)).toBeGreaterThanOrEqual(0);
          expect(compareEffects(listed[level]!, listed[level - 1]!)).toBeGreaterThanOrEqual(0);
          for (const [at, effect] of judged[level]!.entries())
            expect(compareEffects(effect, judged[level - 1]![at]!)).toBeGreaterThanOrEqual(0);
        }
      }),
      runs,
    );
  });

  test("is denied everything by a bound that this version does not know, as a store of another version may have", () => {
    const made = makeChild(parent, { agent: "worker", ceiling: {} });
    const stored = { ...made, delegated: { ...made.delegated, grant: { tools: ["file_read"] } } } as Principal;
    const rules = compilePolicy([{ tier: "platform", document: parsePolicyDocument({ version: 1, autonomy: "full" }) }]);
    const [tool] = tools;
    if (!tool) throw new Error("There is a tool.");
    expect(policyOf(rules, made).decide(tool, [], facts, made).effect).toBe("allow");
    expect(policyOf(rules, stored).decide(tool, [], facts, stored)).toMatchObject({ effect: "deny", rule: "delegated.worker.grant" });
  });

  test("is denied what its ceiling or assignment does not name, and what it denies itself", () => {
    fc.assert(
      fc.property(policy, child("worker"), call, (rules, options, { tool, reaches }) => {
        const principal = makeChild(parent, options);
        const { effect } = policyOf(rules, principal).decide(tool, reaches, facts, principal);
        const names = [tool.name, `group:${tool.group}`];
        for (const limit of [options.ceiling, options.assignment]) {
          const outside =
            limit?.tools?.some((handle) => names.includes(handle)) === false ||
            ("secrets" in tool.effects && limit?.secrets?.includes("TOKEN") === false) ||
            reaches.some((each) => each.kind === "request" && limit?.hosts && !judgeUrl(each.url, { allow: limit.hosts, deny: [] }).ok);
          if (outside) expect(effect).toBe("deny");
        }
        const denied =
          options.deny?.tools?.some((handle) => names.includes(handle)) ||
          ("secrets" in tool.effects && options.deny?.secrets?.includes("TOKEN"));
        if (denied) expect(effect).toBe("deny");
      }),
      runs,
    );
  });

  test("as an agent begins it, has what its parent has of the tools that it is given, and none that starts agents", () => {
    const given = some(["exec", "group:fs", "group:agents", "task_spawn"]);
    const starts = { name: "task_spawn", group: "agents", effects: { tools: ["*"] }, approval: "auto" } as const;
    fc.assert(
      fc.property(policy, given, given, call, (rules, first, second, { tool, reaches }) => {
        const begin = (from: Principal, names: readonly string[] | undefined) =>
          makeChild(from, { agent: "worker", deny: { tools: ["group:agents"] }, ...(names && { assignment: { tools: names } }) });
        const boss = makeChild(parent, { agent: "boss", deny: { tools: ["agent_run"] }, ...(first && { assignment: { tools: first } }) });
        const worker = begin(boss, second);
        const effectFor = (principal: Principal) => policyOf(rules, principal).decide(tool, reaches, facts, principal).effect;
        expect(compareEffects(effectFor(worker), effectFor(boss))).toBeGreaterThanOrEqual(0);
        if (second?.some((handle) => [tool.name, `group:${tool.group}`].includes(handle)) === false) expect(effectFor(worker)).toBe("deny");
        expect(policyOf(rules, worker).decide(starts, [], facts, worker).effect).toBe("deny");
      }),
      runs,
    );
  });

  test("reaches no host that its parent or its bounds do not reach, and no network without a filter where hosts are bound", () => {
    fc.assert(
      fc.property(policy, child("worker"), fc.constantFrom(...urls), (rules, options, url) => {
        const principal = makeChild(parent, options);
        const [own, above] = [policyOf(rules, principal), policyOf(rules, parent)];
        const limits = [options.ceiling?.hosts, options.assignment?.hosts].filter((allow) => allow !== undefined);
        if (judgeUrl(url, own.network).ok) {
          expect(judgeUrl(url, above.network).ok).toBe(true);
          for (const allow of limits) expect(judgeUrl(url, { allow, deny: [] }).ok).toBe(true);
        }
        if (limits.length > 0) expect(own.sandbox.network).not.toBe("host");
        expect(own.sandbox.timeoutMs).toBeLessThanOrEqual(above.sandbox.timeoutMs);
        expect(own.paths.forbidden).toEqual(expect.arrayContaining([...above.paths.forbidden]));
      }),
      runs,
    );
  });

  test("has no permission that its parent lacks, and never the one to answer approvals", () => {
    fc.assert(
      fc.property(child("worker"), (options) => {
        const { permissions, interactive, unattended } = makeChild({ ...parent, unattended: true }, options);
        expect(permissions.every((permission) => permission === "deploy")).toBe(true);
        expect([interactive, unattended]).toEqual([false, true]);
      }),
    );
  });
});

describe("the bounds of a sub-agent", () => {
  const rules = compilePolicy([
    { tier: "platform", document: parsePolicyDocument({ version: 1, autonomy: "full", commands: { mode: "full" } }) },
  ]);
  const decide = (options: Omit<ChildOptions, "agent">, each: Reach) => {
    const principal = makeChild(parent, { agent: "worker", ...options });
    return policyOf(rules, principal).decide(tools[0], [each], facts, principal);
  };
  const command = (text: string): Reach => ({ kind: "command", command: text });

  test.each<[string, Omit<ChildOptions, "agent">, Reach, string]>([
    ["a command within the ceiling", { ceiling: { commands: ["npm test"] } }, command("npm test"), "allow"],
    ["a command of which one part is outside", { ceiling: { commands: ["npm test"] } }, command("npm test && rm x"), "deny"],
    ["a command that is not understood", { ceiling: { commands: ["npm test"] } }, command("npm test $(rm x)"), "deny"],
    ["any command where only paths are bound", { ceiling: { paths: [{ prefix: "src", access: "read" }] } }, command("cat secret"), "deny"],
    ["a command that it denies itself, in a wrapper", { deny: { commands: ["git push *"] } }, command("timeout 5 git push origin"), "deny"],
    ["another command than it denies itself", { deny: { commands: ["git push *"] } }, command("git status"), "allow"],
    [
      "a path that it denies itself",
      { deny: { paths: [{ prefix: "src", access: "write" }] } },
      { kind: "path", path: "src/a", access: "write" },
      "deny",
    ],
    [
      "a path beside the ceiling",
      { ceiling: { paths: [{ prefix: "src", access: "write" }] } },
      { kind: "path", path: "srcs/a", access: "write" },
      "deny",
    ],
    [
      "a host that it denies itself",
      { deny: { hosts: ["*.example.org"] } },
      { kind: "request", url: "https://a.example.org/", method: "GET" },
      "deny",
    ],
  ])("%s", (_, options, each, effect) => {
    expect(decide(options, each).effect).toBe(effect);
  });

  test("hold again for each thing that a capability is asked for while the tool runs", () => {
    const principal = makeChild(parent, { agent: "worker", ceiling: { commands: ["npm test"] } });
    const judge = (each: Reach) => policyOf(rules, principal).judge(tools[0], each, facts).effect;
    expect([judge(command("npm test")), judge(command("rm x"))]).toEqual(["allow", "deny"]);
  });

  test("a denial names the bound and the agent", () => {
    expect(decide({ ceiling: { commands: [] } }, command("ls"))).toMatchObject({
      rule: "delegated.worker.ceiling.commands",
      subject: "ls",
    });
  });

  test("there are at most eight levels", () => {
    let principal = parent;
    for (let level = 0; level < 8; level++) principal = makeChild(principal, { agent: `a${level}` });
    expect(() => makeChild(principal, { agent: "too deep" })).toThrow(/8 levels/);
  });
});
