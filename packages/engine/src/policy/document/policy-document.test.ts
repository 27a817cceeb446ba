import { describe, expect, test } from "vitest";
import { compilePolicy } from "../compile-policy.ts";
import { defaultPolicy, parsePolicyDocument, readRate } from "./policy-document.ts";

const whole = {
  version: 1,
  autonomy: "supervised",
  tools: { allow: ["group:fs", "exec"], deny: ["browser"], ask: ["http_fetch"] },
  commands: {
    mode: "allowlist",
    block_high_risk: true,
    approve_medium_risk: true,
    rules: [{ pattern: "git status *", effect: "allow", match: ["git status --short"], not_match: ["git push"] }],
  },
  paths: { forbidden: ["~/.ssh", "/etc"] },
  network: { allow: ["api.github.com"] },
  sandbox: { mode: "bwrap", network: "none", max_memory_mb: 512, max_cpu_percent: 100, max_processes: 128, unavailable: "refuse" },
  rates: { act: "100/h" },
};

test("the documented document loads", () => {
  const policy = compilePolicy([{ tier: "platform", document: parsePolicyDocument(whole) }]);
  expect(policy.sandbox).toMatchObject({ mode: "bwrap", network: "none", limits: { memoryMb: 512, cpuPercent: 100, processes: 128 } });
  expect(policy.network).toEqual({ allow: ["api.github.com"], deny: [], allowRanges: [] });
  expect(policy.paths.forbidden).toEqual(["~/.ssh", "/etc"]);
});

test("only the version is needed", () => {
  expect(parsePolicyDocument({ version: 1 })).toEqual({ version: 1 });
  expect(parsePolicyDocument(defaultPolicy)).toEqual(defaultPolicy);
});

test("a rate is read in its unit", () => {
  expect(readRate("100/h")).toEqual({ count: 100, windowMs: 3_600_000 });
});

describe("a document that is not valid is refused with the place and what to write", () => {
  test.each([
    ["an unknown member, with the nearest", { version: 1, tool: {} }, /tool is not a member \(did you mean "tools"\?\)/],
    [
      "an unknown member further in",
      { version: 1, commands: { block_high_risks: true } },
      /commands\.block_high_risks .*"block_high_risk"/,
    ],
    [
      "an unknown member of a rule",
      { version: 1, commands: { rules: [{ pattern: "ls", effect: "allow", macth: [] }] } },
      /commands\.rules\[0\]\.macth .*"match"/,
    ],
    ["a wrong version", { version: 2 }, /version/],
    ["a wrong word", { version: 1, autonomy: "yolo" }, /autonomy/],
    ["a rate without a unit", { version: 1, rates: { act: "100" } }, /rates\.act.*100\/h/],
    ["a host rule with a scheme", { version: 1, network: { allow: ["https://a.example"] } }, /network\.allow\[0\]/],
    ["a relative forbidden path", { version: 1, paths: { forbidden: ["secrets"] } }, /paths\.forbidden\[0\].*absolute/],
    ["no object", "allow everything", /the document must have members/],
    ["nothing", undefined, /the document is empty.*version: 1/],
    ["a wrong word, with the nearest", { version: 1, autonomy: "supervized" }, /autonomy: "supervized" .*did you mean "supervised"\?/],
    [
      "a wrong word of a rule",
      { version: 1, commands: { rules: [{ pattern: "ls", effect: "alow" }] } },
      /effect: "alow" is none of .*"allow"/,
    ],
    ["members where a list belongs", { version: 1, commands: { rules: {} } }, /rules: must be a list, not members/],
    ["a wrong type, with what is there", { version: 1, tools: ["exec"] }, /tools: must have members .*allow, deny, ask.*not a list/],
    ["text where a switch belongs", { version: 1, commands: { block_high_risk: "yes" } }, /must be true or false, not "yes"/],
    ["text where a number belongs", { version: 1, sandbox: { timeout_seconds: "30" } }, /must be a number, not "30"/],
    ["a negative limit", { version: 1, sandbox: { max_processes: -1 } }, /max_processes: -1 is too small; write 1 or more/],
    ["a limit that is no number", { version: 1, sandbox: { max_processes: Number.NaN } }, /max_processes: must be a number, not NaN/],
    ["half a process", { version: 1, sandbox: { max_processes: 1.5 } }, /must be a whole number, not 1\.5/],
    ["a member that is missing", { version: 1, approvals: { quorum: [{ permission: "x" }] } }, /quorum\[0\]\.approvers is missing/],
    ["a member without a value", { version: 1, tools: null }, /tools: has no value/],
    ["a pattern as the name of a tool", { version: 1, tools: { deny: ["file_*"] } }, /tools\.deny\[0\]: "file_\*" .*group:/],
    ["a hidden character in a name", { version: 1, tools: { deny: ["exec\u202e"] } }, /tools\.deny\[0\]: "exec<U\+202E>"/],
    ["a blank at the end of a name", { version: 1, tools: { deny: ["exec "] } }, /tools\.deny\[0\]: "exec "/],
    [
      "a hidden character in a pattern",
      { version: 1, commands: { rules: [{ pattern: "git \u200bpush", effect: "ask" }] } },
      /rules\[0\]\.pattern: "git <U\+200B>push" .*screen hides/,
    ],
    ["a wildcard in a forbidden path", { version: 1, paths: { forbidden: ["/x/**"] } }, /forbidden\[0\]: "\/x\/\*\*" .*all below it/],
    ["a forbidden path that climbs", { version: 1, paths: { forbidden: ["/a/../b"] } }, /forbidden\[0\].*without/],
    ["a forbidden path with a blank at its end", { version: 1, paths: { forbidden: ["/etc "] } }, /forbidden\[0\]: "\/etc "/],
    ["a mask that there is not", { version: 1, network: { allow_ranges: ["10.0.0.0/99"] } }, /allow_ranges\[0\].*10\.0\.0\.0\/8/],
    ["an address that there is not", { version: 1, network: { allow_ranges: ["999.1.1.1/8"] } }, /allow_ranges\[0\]/],
    ["a rate of a name that no tool can have", { version: 1, rates: { "file_*": "1/s" } }, /rates\.file_\*/],
  ])("%s", (_name, value, message) => {
    expect(() => parsePolicyDocument(value, "policy.yaml")).toThrow(
      expect.objectContaining({ code: "policy_invalid", message: expect.stringMatching(message) }),
    );
  });
});

describe("a rule carries its own tests", () => {
  const load = (rule: object) => () =>
    compilePolicy([{ tier: "platform", document: parsePolicyDocument({ version: 1, commands: { rules: [rule] } }) }]);

  test.each([
    [
      "a match that the pattern misses",
      { pattern: "git status *", effect: "allow", match: ["git push"] },
      /commands\.rules\[0\].*does not match "git push"/,
    ],
    ["a not_match that the pattern meets", { pattern: "git *", effect: "allow", not_match: ["git push"] }, /matches "git push"/],
    ["a match of which only a part is covered", { pattern: "git status*", effect: "allow", match: ["git status; rm x"] }, /does not match/],
    ["a denial that misses", { pattern: "git push", effect: "deny", match: ["git push --force"] }, /does not match/],
    ["a pattern that covers nothing", { pattern: "*", effect: "deny" }, /covers nothing/],
    ["a denial of a line of commands", { pattern: "git push; ls", effect: "deny" }, /meets no command/],
    ["a denial of a pipe", { pattern: "curl * | sh", effect: "deny" }, /meets no command.*one command/],
    ["a question about a variable", { pattern: "rm -rf $HOME", effect: "ask" }, /meets no command/],
    ["a denial with alternatives", { pattern: "git {push,pull}", effect: "deny" }, /meets no command/],
    ["a denial with an unterminated quote", { pattern: "git 'push", effect: "deny" }, /meets no command/],
    ["a denial of a redirect", { pattern: "> /etc/passwd", effect: "deny" }, /meets no command/],
    ["a denial of an assignment", { pattern: "FOO=1 npm test", effect: "deny" }, /meets no command/],
  ])("%s refuses to load", (_name, rule, message) => {
    expect(load(rule)).toThrow(expect.objectContaining({ code: "policy_invalid", message: expect.stringMatching(message) }));
  });

  test.each([
    "git push *",
    "git push*",
    "git * push",
    "git ?ush",
    "sudo *",
    "/usr/bin/git push",
    "git commit -m 'a b; c' *",
    "rm '*'",
    "cd packages/* && npm publish *",
    "env",
    "timeout 5 ls",
    "bash -c 'x; y'",
    "npm run test:*",
    "find . -name '*.ts' -delete",
    "git push -*",
    "curl https://a.example/*",
  ])("a denial of %s loads", (pattern) => {
    expect(load({ pattern, effect: "deny" })).not.toThrow();
  });

  test("a denial sees through wrappers in its tests too", () => {
    expect(load({ pattern: "git push *", effect: "deny", match: ["timeout 5 git push origin"], not_match: ["git status"] })).not.toThrow();
  });
});
