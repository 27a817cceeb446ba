import { describe, expect, test } from "vitest";
import type { Reach } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import type { Effects } from "../tool/effects.ts";
import { compilePolicy, type Tier, type ToolFacts } from "./compile-policy.ts";
import { parsePolicyDocument } from "./document/policy-document.ts";

const facts = { sandbox: { available: true, detail: "bubblewrap 0.8.0" } };
const principal: Principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "cli" };
const tool = (effects: Effects = {}, more: Partial<ToolFacts> = {}): ToolFacts => ({
  name: "t",
  group: "g",
  effects,
  approval: "auto",
  ...more,
});
const policy = (document: object = {}) => compilePolicy([{ tier: "platform", document: parsePolicyDocument({ version: 1, ...document }) }]);
const tiersOf = (documents: Partial<Record<Tier, object>>) =>
  compilePolicy(
    Object.entries(documents).map(([tier, document]) => ({
      tier: tier as Tier,
      document: parsePolicyDocument({ version: 1, ...document }),
    })),
  );
const decide = (document: object, of: ToolFacts, ...reaches: Reach[]) => policy(document).decide(of, reaches, facts, principal);

const writing = tool({ files: "write" });
const destructive = tool({ files: "write", destructive: true });
const exec = tool({ exec: "run" });
const http = tool({ http: "write" });
const post: Reach = { kind: "request", url: "https://api.example.org/x", method: "POST" };
const get: Reach = { kind: "request", url: "https://api.example.org/x", method: "GET" };

describe("the tool layer", () => {
  test.each([
    ["a tool is allowed unless restricted", {}, tool(), "allow", "default.reads"],
    ["an allow list excludes what is not on it", { tools: { allow: ["x"] } }, tool(), "deny", "tools.allow"],
    ["an empty allow list excludes all", { tools: { allow: [] } }, tool(), "deny", "tools.allow"],
    ["a group is a handle", { tools: { allow: ["x", "group:g"] } }, tool(), "allow", "tools.allow[1]"],
    ["deny wins over allow", { tools: { allow: ["t"], deny: ["t"] } }, tool(), "deny", "tools.deny[0]"],
    ["deny of a group wins over allow of a name", { tools: { allow: ["t"], deny: ["group:g"] } }, tool(), "deny", "tools.deny[0]"],
    ["ask wins over allow", { tools: { allow: ["t"], ask: ["group:g"] } }, tool(), "ask", "tools.ask[0]"],
    ["deny wins over ask", { tools: { ask: ["t"], deny: ["t"] } }, tool(), "deny", "tools.deny[0]"],
    ["read_only denies what changes", { autonomy: "read_only" }, writing, "deny", "autonomy"],
    ["read_only lets reading run", { autonomy: "read_only" }, tool({ files: "read", http: "read" }), "allow", "default.reads"],
    ["supervised lets writing in the workspace run", {}, writing, "allow", "default.supervised"],
    ["supervised asks about what cannot be undone", {}, destructive, "ask", "default.supervised.destructive"],
    ["full does not", { autonomy: "full" }, destructive, "allow", "default.full"],
    ["always_ask asks under full autonomy too", { autonomy: "full" }, tool({}, { approval: "always_ask" }), "ask", "default.always_ask"],
  ] as const)("%s", (...[, document, of, effect, rule]) => {
    const decision = policy(document).decideTool(of);
    expect(decision).toMatchObject({ effect, rule, layer: "tool" });
    expect(policy(document).decide(of, [], facts, principal)).toMatchObject({ effect, rule });
  });

  test("a name that is part of the language's objects is nothing special", () => {
    const lists = { tools: { allow: ["t"] } };
    for (const name of ["constructor", "__proto__", "toString"]) expect(policy(lists).decideTool(tool({}, { name })).effect).toBe("deny");
  });

  test("a decision for a tool that reaches nothing is made once", () => {
    const compiled = policy();
    expect(compiled.decide(writing, [], facts, principal)).toBe(compiled.decide(writing, [], facts, principal));
  });
});

describe("what leaves the workspace (settled: policy default)", () => {
  test.each([
    ["GET runs", {}, http, [get], "allow"],
    ["POST asks under supervision", {}, http, [post], "ask"],
    ["POST runs under full autonomy", { autonomy: "full" }, http, [post], "allow"],
    ["a tool that does not say what it sends asks", {}, http, [], "ask"],
    ["a tool that does not say what it runs asks", {}, exec, [], "ask"],
    ["listing processes asks nothing", {}, tool({ exec: "manage" }), [], "allow"],
    ["a host outside the list is denied", { network: { allow: ["b.example"] } }, http, [get], "deny"],
    ["a denied host is denied", { network: { deny: ["*.example.org"] } }, http, [get], "deny"],
    ["the strictest of several reaches speaks", {}, http, [get, post], "ask"],
  ] as const)("%s", (...[, document, of, reaches, effect]) => {
    expect(decide(document, of, ...reaches).effect).toBe(effect);
  });

  test("every finding is kept and says its layer, rule, reason and remedy", () => {
    const decision = decide({}, http, get, post);
    expect(decision.findings).toHaveLength(3);
    expect(decision).toMatchObject({
      layer: "resource",
      rule: "default.supervised.changes_elsewhere",
      subject: "POST https://api.example.org/x",
    });
    expect(decision.remedy).toContain("Approve");
  });
});

describe("paths", () => {
  const path = (text: string, access: "read" | "write" | "delete" = "read"): Reach => ({ kind: "path", path: text, access });
  test.each([
    ["inside the workspace run", path("src/a.ts", "write"), "allow"],
    ["that climb out are denied", path("../a"), "deny"],
    ["that are forbidden are denied", path("/proc/self/environ"), "deny"],
    ["of git's own files are denied to writers", path(".git/config", "write"), "deny"],
    ["of credentials ask", path(".env"), "ask"],
  ] as const)("%s", (_name, reach, effect) => {
    expect(decide({}, writing, reach).effect).toBe(effect);
  });
});

describe("commands and the sandbox", () => {
  const command = (text: string): Reach => ({ kind: "command", command: text });
  const missing = { sandbox: { available: false, detail: "bwrap is not installed" } };

  test("a command that only reads runs by default, others ask", () => {
    expect(decide({}, exec, command("git status")).effect).toBe("allow");
    expect(decide({}, exec, command("npm test"))).toMatchObject({ effect: "ask", layer: "command" });
  });

  test.each([
    ["refuse", "deny"],
    ["ask", "ask"],
  ] as const)("a sandbox that is missing with unavailable: %s", (unavailable, effect) => {
    const compiled = policy({ sandbox: { unavailable } });
    const decision = compiled.decide(exec, [command("ls")], missing, principal);
    expect(decision).toMatchObject({ effect, layer: "resource", rule: "sandbox.unavailable", risk: "high" });
    expect(decision.reason).toContain("bwrap is not installed");
  });

  test.each([
    ["a substitution", "echo $(date)", /never allows what it says\. .*a variable or a substitution/],
    ["a variable", "npm run build -- $ARGS", /never allows what it says\. .*a variable or a substitution/],
    ["a variable that changes what runs", "cd app && LD_PRELOAD=./x ls", /never allows/],
  ])("a rule that names one command with %s is refused, as it does not even let that run", (_, pattern, problem) => {
    expect(() => policy({ commands: { rules: [{ pattern, effect: "allow" }] } })).toThrow(problem);
  });

  test.each([
    "mvn test",
    "uv run pytest",
    "go build -o bin/app .",
    "golangci-lint run",
    "dotnet test",
    "cd app && npm test",
    "./run.sh 'a b'",
  ])("a rule that names one command lets it run: %s", (pattern) => {
    const compiled = policy({ commands: { rules: [{ pattern, effect: "allow" }] } });
    expect(compiled.decide(exec, [command(pattern)], facts, principal).effect).toBe("allow");
  });

  test.each(["bubblewrap is not installed", "bubblewrap is not installed."])(
    "the reason of a missing sandbox ends with one full stop: %j",
    (detail) => {
      const decision = policy({}).decide(exec, [command("ls")], { sandbox: { available: false, detail } }, principal);
      expect(decision.reason).toMatch(/[^.]\.$/);
    },
  );

  test("a missing sandbox is missing for git, too", () => {
    expect(policy().decide(tool({ git: "clone" }), [], missing, principal)).toMatchObject({ effect: "deny", rule: "sandbox.unavailable" });
  });

  test("a missing sandbox does not touch tools that run nothing (pain #19)", () => {
    expect(policy().decide(writing, [], missing, principal).effect).toBe("allow");
  });

  test("no isolation is said as a risk", () => {
    const decision = policy({ sandbox: { mode: "host" } }).decide(exec, [command("ls")], facts, principal);
    expect(decision.effect).toBe("allow");
    expect(decision.findings).toContainEqual(expect.objectContaining({ rule: "sandbox.mode", risk: "high" }));
  });

  test.each(["cat /opt/secret/a", "ls --x=/opt/./secret", "ls x > /opt/secret", "cat '/opt/a/../secret/b'", "cat ~/.ssh/id_rsa"])(
    "a forbidden path in %s is denied",
    (text) => {
      expect(decide({ paths: { forbidden: ["/opt/secret/", "~/.ssh"] } }, exec, command(text))).toMatchObject({
        effect: "deny",
        layer: "resource",
        rule: expect.stringContaining("paths.forbidden"),
      });
    },
  );

  test.each([
    ["of the workspace's root changes nothing", "./", "allow"],
    ["below makes what obeys the folder ask", "packages/app", "ask"],
    ["outside is denied", "../other", "deny"],
  ])("a working folder %s", (_name, workdir, effect) => {
    expect(decide({}, exec, { kind: "command", command: "git status", workdir }).effect).toBe(effect);
  });

  test("a longer name is not a forbidden prefix", () => {
    expect(decide({ paths: { forbidden: ["/opt/secret"] } }, exec, command("cat /opt/secrets")).effect).toBe("ask");
  });

  test("a capability asks about one reach", () => {
    expect(policy().judge(exec, command("rm -rf /"), facts)).toMatchObject({ effect: "deny", risk: "high" });
    expect(policy().judge(exec, command("ls"), missing).effect).toBe("deny");
  });
});

test("a run without a person meets ask with a denial that says why (pain #6)", () => {
  const decision = policy().decide(destructive, [], facts, { ...principal, unattended: true });
  expect(decision).toMatchObject({ effect: "deny", rule: "default.unattended" });
  expect(decision.reason).toContain("cannot be undone");
});

describe("rates", () => {
  const rates = { rates: { act: "100/h", web_search: "10/m", "group:g": "5/s" } };
  test("reading is free of the rate on acts", () => {
    expect(policy({ rates: { act: "1/h" } }).ratesFor(tool({ files: "read" }))).toEqual([]);
  });
  test("every rate that names the tool, its group or acts counts", () => {
    expect(
      policy(rates)
        .ratesFor(writing)
        .map(({ rule }) => rule),
    ).toEqual(["rates.act", "rates.group:g"]);
    expect(policy(rates).ratesFor(tool({ http: "read" }, { name: "web_search", group: "net" }))).toEqual([
      { key: "platform:web_search", rate: { count: 10, windowMs: 60_000 }, rule: "rates.web_search" },
    ]);
  });
});

describe("tiers", () => {
  test("are named in the rules when there are several", () => {
    const compiled = tiersOf({ platform: {}, tenant: { tools: { deny: ["t"] } } });
    expect(compiled.decideTool(tool())).toMatchObject({ effect: "deny", rule: "tenant.tools.deny[0]" });
  });

  test("what a lower tier leaves out has no default there", () => {
    const compiled = tiersOf({ platform: { commands: { mode: "full" }, autonomy: "full" }, tenant: { tools: {} } });
    expect(compiled.decide(exec, [{ kind: "command", command: "make" }], facts, principal).effect).toBe("allow");
  });

  test("a lower tier cannot open what a higher one closes", () => {
    const compiled = tiersOf({
      session: {
        autonomy: "full",
        commands: { mode: "full" },
        sandbox: { mode: "host", network: "host", unavailable: "ask", git: "writable", max_memory_mb: 900 },
        network: { allow: ["*"], allow_ranges: ["10.0.0.0/8"] },
      },
      platform: {
        autonomy: "supervised",
        tools: { deny: ["t"] },
        sandbox: { mode: "bwrap", max_memory_mb: 500 },
        network: { allow: ["*.example.org"] },
      },
    });
    expect(compiled.decideTool(tool()).effect).toBe("deny");
    expect(compiled.sandbox).toMatchObject({
      mode: "bwrap",
      network: "none",
      unavailable: "refuse",
      git: "sealed",
      limits: { memoryMb: 500 },
    });
    expect(compiled.network).toEqual({ allow: ["*.example.org"], deny: [], allowRanges: [] });
    expect(compiled.decide(tool({ exec: "run" }, { name: "exec" }), [{ kind: "command", command: "make" }], facts, principal).effect).toBe(
      "ask",
    );
  });

  test("git metadata is writable where the highest tier opens it, and no lower one closes it", () => {
    const open = { sandbox: { git: "writable" } } as const;
    expect(tiersOf({ platform: {} }).sandbox.git).toBe("sealed");
    expect(tiersOf({ platform: open, tenant: {} }).sandbox.git).toBe("writable");
    expect(tiersOf({ platform: open, tenant: { sandbox: { git: "sealed" } } }).sandbox.git).toBe("sealed");
    expect(tiersOf({ platform: {}, tenant: open }).sandbox.git).toBe("sealed");
  });

  test("R-SB-11 a limit of the highest tier takes the place of a default, one of a lower tier only narrows", () => {
    const tenant = { sandbox: { max_processes: 5000, max_memory_mb: 9000 } };
    expect(tiersOf({ platform: {}, tenant }).sandbox).toMatchObject({ limits: {}, tighterLimits: { processes: 5000, memoryMb: 9000 } });
    const raised = tiersOf({ platform: { sandbox: { max_processes: 9000, max_written_mb: 7 } }, tenant }).sandbox;
    expect(raised).toMatchObject({ limits: { processes: 5000, writtenMb: 7 }, tighterLimits: { memoryMb: 9000 } });
    expect(tiersOf({ platform: {} }).sandbox).not.toHaveProperty("tighterLimits");
  });

  test.each([
    ["host, and nothing below", "host", undefined, "host"],
    ["host, filtered below", "host", "filtered", "filtered"],
    ["host, none below", "host", "none", "none"],
    ["filtered, and nothing below", "filtered", undefined, "filtered"],
    ["filtered, host below", "filtered", "host", "filtered"],
    ["filtered, none below", "filtered", "none", "none"],
    ["none, filtered below", "none", "filtered", "none"],
    ["nothing, filtered below", undefined, "filtered", "none"],
  ] as const)("the strictest network of all tiers holds: %s", (_case, platform, tenant, expected) => {
    const compiled = tiersOf({
      platform: { sandbox: platform && { network: platform } },
      tenant: { sandbox: tenant && { network: tenant } },
    });
    expect(compiled.sandbox.network).toBe(expected);
  });

  test("hosts must be allowed by every tier that names hosts", () => {
    const compiled = tiersOf({
      platform: { network: { allow: ["*.example.org", "a.example"] } },
      tenant: { network: { allow: ["api.example.org", "b.example"] } },
    });
    expect(compiled.network.allow).toEqual(["api.example.org"]);
  });

  test("the revision changes with the documents, and not with the order of keys", () => {
    expect(policy({ autonomy: "full", rates: {} }).revision).toBe(policy({ rates: {}, autonomy: "full" }).revision);
    expect(policy({ autonomy: "full" }).revision).not.toBe(policy({ autonomy: "supervised" }).revision);
  });
});
