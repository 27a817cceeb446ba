import { describe, expect, test } from "vitest";
import { compilePolicy } from "./compile-policy.ts";
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
    ["no object", "allow everything", /the document/],
  ])("%s", (_name, value, message) => {
    expect(() => parsePolicyDocument(value, "policy.yaml")).toThrow(
      expect.objectContaining({ code: "policy_invalid", message: expect.stringMatching(message) }),
    );
  });
});

describe("a rule carries its own tests (P10)", () => {
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
  ])("%s refuses to load", (_name, rule, message) => {
    expect(load(rule)).toThrow(expect.objectContaining({ code: "policy_invalid", message: expect.stringMatching(message) }));
  });

  test("a denial sees through wrappers in its tests too", () => {
    expect(load({ pattern: "git push *", effect: "deny", match: ["timeout 5 git push origin"], not_match: ["git status"] })).not.toThrow();
  });
});
