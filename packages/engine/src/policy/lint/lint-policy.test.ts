import { describe, expect, test } from "vitest";
import { type PolicyFile, policyFile, tiersOfFile } from "../document/policy-file.ts";
import type { PolicyTier } from "../policy.ts";
import type { ToolFacts } from "../tool-layer.ts";
import { lintPolicy } from "./lint-policy.ts";

const tools: readonly ToolFacts[] = [
  { name: "file_read", group: "fs", effects: { files: "read" }, approval: "auto" },
  { name: "file_write", group: "fs", effects: { files: "write" }, approval: "auto" },
  { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" },
];

const lint = (value: object) => {
  const documents: readonly PolicyTier[] = tiersOfFile(policyFile.parse(value) satisfies PolicyFile);
  return lintPolicy(documents, tools).map(({ level, document, path, message }) => `${level} ${document} ${path.join(".")} ${message}`);
};
const rules = (...list: object[]) => ({ commands: { rules: list } });
const tested = { not_match: ["id"] };

describe("what a policy says in vain is named", () => {
  test.each<[string, object, RegExp]>([
    [
      "a tool that is not there, with the nearest",
      { tools: { deny: ["file_wirte"] } },
      /^warning 0 tools\.deny\.0 "file_wirte" .*did you mean "file_write"\?/,
    ],
    ["a group that is not there", { tools: { ask: ["group:fss"] } }, /^warning 0 tools\.ask\.0 .*"group:fs"/],
    [
      "a quorum for a tool that is not there",
      { approvals: { quorum: [{ approvers: 2, tools: ["exec", "exce"] }] } },
      /^warning 0 approvals\.quorum\.0\.tools\.1 .*"exec"/,
    ],
    ["a rate of a tool that is not there", { rates: { exce: "1/s" } }, /^warning 0 rates\.exce .*"exec"/],
    [
      "an allowed tool that is denied",
      { tools: { allow: ["exec", "file_read"], deny: ["group:fs"] } },
      /^warning 0 tools\.allow\.1 "file_read" is denied by tools\.deny\[0\]/,
    ],
    [
      "an asked tool that the platform denies to all",
      { tools: { deny: ["exec"] }, tenant: { tools: { ask: ["exec"] } } },
      /^warning 1 tools\.ask\.0 "exec" is denied by tools\.deny\[0\]/,
    ],
    [
      "a tool whose group is in the list",
      { tools: { deny: ["group:fs", "file_read"] } },
      /^hint 0 tools\.deny\.1 "file_read" is in "group:fs" already/,
    ],
    ["a tool that is in the list twice", { tools: { deny: ["exec", "exec"] } }, /^hint 0 tools\.deny\.1 "exec" is in the list already/],
    [
      "an allowing rule under a denial",
      rules({ pattern: "git status *", effect: "allow", ...tested }, { pattern: "git *", effect: "deny", ...tested }),
      /^warning 0 commands\.rules\.0 .*never decides: commands\.rules\[1\] \(deny "git \*"\)/,
    ],
    [
      "an asking rule under a denial",
      rules({ pattern: "git push", effect: "ask", ...tested }, { pattern: "git *", effect: "deny", ...tested }),
      /^warning 0 commands\.rules\.0 .*never decides/,
    ],
    [
      "an agent's rule under the platform's denial",
      {
        ...rules({ pattern: "npm *", effect: "deny", ...tested }),
        agents: [{ id: "a", ...rules({ pattern: "npm test", effect: "allow", ...tested }) }],
      },
      /^warning 1 commands\.rules\.0 "npm test" never decides: commands\.rules\[0\]/,
    ],
    [
      "a rule that another covers",
      rules({ pattern: "git push *", effect: "deny", ...tested }, { pattern: "git push --force", effect: "deny", ...tested }),
      /^hint 0 commands\.rules\.1 .*covered by commands\.rules\[0\]/,
    ],
    [
      "a rule given twice, once",
      rules({ pattern: "npm test", effect: "allow", ...tested }, { pattern: "npm test", effect: "allow", ...tested }),
      /^hint 0 commands\.rules\.1 .*covered by commands\.rules\[0\]/,
    ],
    [
      "a wildcard for a program that is not reviewed",
      rules({ pattern: "frobnicate *", effect: "allow", ...tested }),
      /^warning 0 commands\.rules\.0 .*never allows: the arguments of frobnicate are not reviewed/,
    ],
    [
      "a rule that high risk overrules",
      rules({ pattern: "rm -rf /", effect: "allow", ...tested }),
      /^warning 0 commands\.rules\.0 .*does not allow "rm -rf \/": .*high risk.*block_high_risk/,
    ],
    [
      "a rule whose program is among the built-in ones",
      rules({ pattern: "git status", effect: "allow", ...tested }),
      /^hint 0 commands\.rules\.0 "git status" runs unasked without this rule too/,
    ],
    [
      "rules in a mode that denies all",
      { commands: { mode: "deny", rules: [{ pattern: "ls", effect: "allow" }] } },
      /^warning 0 commands\.mode/,
    ],
    ["a rule without tests", rules({ pattern: "npm test", effect: "allow" }), /^hint 0 commands\.rules\.0 The rule has no tests/],
    ["a list that allows no tool", { tools: { allow: [] } }, /^warning 0 tools\.allow The empty list allows no tool/],
    [
      "built-in paths that a list of its own leaves out",
      { paths: { forbidden: ["/srv", "/etc"] } },
      /^hint 0 paths\.forbidden .*not forbidden: ~\/\.ssh, (?!.*\/etc\/shadow).*docker\.sock/,
    ],
    ["every host", { network: { allow: ["*"] } }, /^warning 0 network\.allow\.0 "\*" opens every public host/],
    ["every address", { network: { allow_ranges: ["0.0.0.0/0"] } }, /^warning 0 network\.allow_ranges\.0/],
    ["every path", { paths: { forbidden: ["/"] } }, /^warning 0 paths\.forbidden\.0/],
    [
      "a policy that lets every command run",
      { autonomy: "full", commands: { mode: "full", block_high_risk: false } },
      /^warning 0 commands\.block_high_risk/,
    ],
    [
      "autonomy that a higher tier does not give",
      { autonomy: "supervised", tenant: { autonomy: "full" } },
      /^warning 1 autonomy "full" has no effect: .*"supervised" holds/,
    ],
    [
      "grants that a higher tier forbids",
      { approvals: { grants: false }, tenant: { approvals: { grants: true } } },
      /^warning 1 approvals\.grants true has no effect: .*false holds/,
    ],
    ["no sandbox, for an agent", { agents: [{ id: "a", sandbox: { mode: "host" } }] }, /^warning 1 sandbox\.mode "host" has no effect/],
    [
      "more memory than the tier above gives",
      { sandbox: { max_memory_mb: 100 }, tenant: { sandbox: { max_memory_mb: 200 } } },
      /^warning 1 sandbox\.max_memory_mb 200 has no effect: .*100 holds/,
    ],
    [
      "a host that the tier above does not open",
      { network: { allow: ["a.example"] }, tenant: { network: { allow: ["b.example"] } } },
      /^warning 1 network\.allow\.0 "b\.example" opens nothing/,
    ],
    [
      "a folder that the tier above does not open",
      { paths: { roots: [{ path: "/srv/a", access: "read" }] }, tenant: { paths: { roots: [{ path: "/srv/b", access: "read" }] } } },
      /^warning 1 paths\.roots\.0 "\/srv\/b" opens nothing/,
    ],
    [
      "writing where the tier above opens a folder for reading",
      { paths: { roots: [{ path: "/srv/a", access: "read" }] }, tenant: { paths: { roots: [{ path: "/srv/a", access: "write" }] } } },
      /^warning 1 paths\.roots\.0\.access "write" has no effect/,
    ],
    [
      "a mode that is looser than the one above",
      { commands: {}, tenant: { commands: { mode: "full", block_high_risk: false } } },
      /^warning 1 commands\.mode "full" has no effect/,
    ],
  ])("%s", (_, value, expected) => {
    expect(lint(value)).toContainEqual(expect.stringMatching(expected));
  });
});

test.each<[string, object]>([
  ["the empty policy", {}],
  ["a rule that allows what would ask", rules({ pattern: "npm test", effect: "allow", ...tested })],
  [
    "a whole command beside a wildcard of its program",
    rules({ pattern: "git log *", effect: "deny", ...tested }, { pattern: "git push", effect: "deny", ...tested }),
  ],
  [
    "a rule for a folder beside one for the root",
    rules({ pattern: "npm test", effect: "allow", ...tested }, { pattern: "cd packages/* && npm test", effect: "allow", ...tested }),
  ],
  ["a group that is allowed but for one tool", { tools: { allow: ["group:fs"], deny: ["file_write"] } }],
  [
    "an agent that is narrower",
    { autonomy: "full", agents: [{ id: "a", autonomy: "read_only", tools: { deny: ["exec"] }, sandbox: { network: "none" } }] },
  ],
  [
    "denials of two agents that have nothing to do with each other",
    {
      agents: [
        { id: "a", tools: { deny: ["exec"] } },
        { id: "b", tools: { ask: ["exec"] } },
      ],
    },
  ],
])("nothing is said of %s", (_, value) => {
  expect(lint(value)).toEqual([]);
});

describe("the document of an agent", () => {
  const documents = tiersOfFile(policyFile.parse({ agents: [{ id: "coder" }, { id: "reviwer" }] }));
  const found = (agents?: ReadonlySet<string>) =>
    lintPolicy(documents, tools, agents).map(({ level, document, message }) => `${level} ${document} ${message}`);

  test("is named where no agent has a row of that id, with the nearest", () => {
    expect(found(new Set(["coder", "reviewer"]))).toEqual(['warning 2 there is no agent "reviwer" (did you mean "reviewer"?)']);
    expect(found(new Set(["reviwer"]))).toEqual(['warning 1 there is no agent "coder" (create it, or remove the document)']);
  });

  test("is not looked at where nobody knows which agents there are", () => {
    expect(found()).toEqual([]);
  });
});
