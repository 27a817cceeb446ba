import { describe, expect, it, test } from "vitest";
import type { Reach } from "../contract/decision.ts";
import { findingAfterForeign } from "./after-foreign.ts";
import { compilePolicy } from "./compile-policy.ts";
import { parsePolicyDocument } from "./document/policy-document.ts";
import type { Tier } from "./policy.ts";
import type { MachineFacts } from "./resource-layer.ts";

const tool = (name: string, group: string, effects: object) => ({ name, group, effects, approval: "auto" }) as const;
const http = tool("http_request", "net", { http: "write" });
const fetch = tool("web_fetch", "net", { http: "read" });
const exec = tool("exec", "runtime", { exec: "run" });
const write = tool("file_write", "fs", { files: "write" });
const mail = tool("mail", "custom", { http: "write" });

const policyOf = (...documents: readonly object[]) =>
  compilePolicy(
    documents.map((document, index) => ({
      tier: (["platform", "tenant", "agent"] satisfies Tier[])[index] ?? "session",
      document: parsePolicyDocument({ version: 1, ...document }),
    })),
  );

const request = (method: string): Reach => ({ kind: "request", url: "https://a.example/", method });
const command = (line: string): Reach => ({ kind: "command", command: line });
const none: readonly Reach[] = [];
/** A place that holds all back. */
const facts: MachineFacts = { sandbox: { available: true, detail: "test" } };

describe("what reaches outside asks after foreign content by default", () => {
  test.each([
    ["a request that changes something", http, [request("POST")], true],
    ["a request that reads", http, [request("GET")], false],
    ["one of both", http, [request("GET"), request("DELETE")], true],
    ["a tool that reads", fetch, [request("GET")], false],
    ["a tool that says nothing of what it does", mail, none, true],
    ["a tool that names files alone", mail, [{ kind: "path", path: "a", access: "read" }] as const, true],
    ["a file of the workspace", write, [{ kind: "path", path: "a", access: "write" }] as const, false],
    ["a command without a network", exec, [command("curl https://a.example/")], false],
  ])("%s", (_, asked, reaches, asks) => {
    expect(policyOf({}).afterForeign(asked, () => reaches, facts)?.rule).toBe(asks ? "default.after_foreign" : undefined);
  });

  test.each([
    ["filtered", "npm test", true],
    ["filtered", "node send.cjs", true],
    ["filtered", "ls | xargs -n 1 sh", true],
    ["filtered", "mkdir -p a && cp b.txt a", false],
    ["filtered", "ls -l", false],
    ["filtered", "curl https://a.example/", true],
    ["filtered", "git push origin", true],
    ["filtered", "sh -c 'curl -d @notes https://a.example/'", true],
    ["filtered", "for i in 1; do curl $i; done", true],
    ["host", "npm test", true],
    ["host", "ls -l; git log", false],
  ] as const)("with the network %s, %s: %s", (network, line, asks) => {
    const policy = policyOf({ sandbox: { network } });
    expect(policy.afterForeign(exec, () => [command(line)], facts)?.rule).toBe(asks ? "default.after_foreign" : undefined);
  });
});

test.each([
  ["none", "node send.cjs", true],
  ["none", "ls -l", false],
  ["filtered", "frobnicate", true],
] as const)("a place that does not hold the network back has that of the host, with %s in the policy, for %s", (network, line, asks) => {
  const policy = policyOf({ sandbox: { network } });
  const open: MachineFacts = { sandbox: { available: true, detail: "test", contains: ["links", "credentials", "workspace"] } };
  expect(policy.afterForeign(exec, () => [command(line)], open)?.rule).toBe(asks ? "default.after_foreign" : undefined);
});

describe("a rule with after_foreign: allow", () => {
  const frees = (pattern: string) => ({ pattern, effect: "allow", after_foreign: "allow" });
  const policyWith = (network: string, ...rules: readonly object[]) => ({ sandbox: { network }, commands: { rules } });
  const asks = (line: string, ...documents: readonly object[]) =>
    policyOf(...documents).afterForeign(exec, () => [command(line)], facts) !== undefined;

  test.each(["filtered", "host"])("frees the commands that it covers, with the network %s", (network) => {
    const policy = policyWith(network, frees("npm test"), frees("node build.cjs"), frees("curl https://a.example/*"));
    for (const line of ["npm test", "node build.cjs", "ls && npm test", "curl https://a.example/x"])
      expect([line, asks(line, policy)]).toEqual([line, false]);
    for (const line of [
      "npm run build",
      "node send.cjs",
      "npm test && node send.cjs",
      "npm test; curl https://b.example/",
      "cat x | node build.cjs",
    ])
      expect([line, asks(line, policy)]).toEqual([line, true]);
  });

  test("does so alone: one that only allows the command does not", () => {
    expect(asks("npm test", policyWith("filtered", { pattern: "npm test", effect: "allow" }))).toBe(true);
  });

  test("does so in the highest tier alone", () => {
    const lower = { commands: { rules: [frees("npm test")] } };
    expect(asks("npm test", policyWith("filtered"), lower)).toBe(true);
    expect(asks("npm test", policyWith("filtered", frees("npm test")), { commands: { rules: [] } })).toBe(false);
  });

  test("is refused where the rule does not allow", () => {
    expect(() => policyOf({ commands: { rules: [{ ...frees("npm test"), effect: "ask" }] } })).toThrow(/only a rule that allows/);
  });
});

describe("after_foreign", () => {
  const post = () => [request("POST")];

  test.each([
    [{ outside: "none" }, http, undefined],
    [{ http_request: "none" }, http, undefined],
    [{ http_request: "none" }, mail, "default.after_foreign"],
    [{ "group:net": "none" }, http, undefined],
    [{ "group:net": "none", http_request: "ask" }, http, "after_foreign.http_request"],
    [{ act: "ask" }, write, "after_foreign.act"],
    [{ act: "ask" }, fetch, undefined],
    [{ act: "ask", file_write: "none" }, write, undefined],
    [{ web_fetch: "ask" }, fetch, "after_foreign.web_fetch"],
    [{ "group:fs": "ask" }, write, "after_foreign.group:fs"],
    [{ outside: "ask" }, http, "after_foreign.outside"],
  ])("of %j", (said, asked, rule) => {
    expect(policyOf({ after_foreign: said }).afterForeign(asked, post, facts)?.rule).toBe(rule);
  });

  it("only narrows in a lower tier", () => {
    const lower = { after_foreign: { http_request: "none", outside: "none" } };
    expect(policyOf({}, lower).afterForeign(http, post, facts)?.rule).toBe("default.after_foreign");
    expect(policyOf({ after_foreign: { outside: "none" } }, lower).afterForeign(http, post, facts)).toBeUndefined();
    expect(policyOf({ after_foreign: { outside: "none" } }, { after_foreign: { mail: "ask" } }).afterForeign(mail, post, facts)?.rule).toBe(
      "tenant.after_foreign.mail",
    );
  });

  it("takes the strictest of ask, granted and none", () => {
    const granted = { after_foreign: { outside: "granted" } };
    expect(policyOf(granted).afterForeign(http, post, facts)).toEqual({ rule: "after_foreign.outside", need: "granted" });
    expect(policyOf(granted, { after_foreign: { http_request: "none" } }).afterForeign(http, post, facts)?.need).toBe("granted");
    expect(policyOf(granted, { after_foreign: { http_request: "ask" } }).afterForeign(http, post, facts)?.need).toBe("ask");
    expect(policyOf({ after_foreign: { act: "granted" } }).afterForeign(http, post, facts)?.need).toBe("ask");
  });

  it("refuses what is no answer and no tool", () => {
    expect(() => policyOf({ after_foreign: { exec: "deny" } })).toThrow(/after_foreign\.exec/);
    expect(() => policyOf({ after_foreign: { "ex*": "ask" } })).toThrow(/not the name of a tool/);
  });

  it("holds for a sub-agent as for those that it comes from", () => {
    const policy = compilePolicy([
      { tier: "platform", document: parsePolicyDocument({ version: 1, after_foreign: { outside: "none" } }) },
      { tier: "agent", agent: "parent", document: parsePolicyDocument({ version: 1, after_foreign: { mail: "ask" } }) },
    ]);
    expect(policy.afterForeign(mail, post, facts)).toBeUndefined();
    expect(policy.forPrincipal({ tenant: "t", actor: { kind: "agent", id: "parent" } }).afterForeign(mail, post, facts)?.rule).toBe(
      "agents.parent.after_foreign.mail",
    );
  });

  it("says why on one line, also where the name of the place holds line feeds", () => {
    const place = "https://a.example/\n  because  all is well\u2028\r\n";
    const mark = { kind: "web", place, callId: "call_1", tool: "web_fetch", at: 1 } as const;
    expect(findingAfterForeign({ rule: "after_foreign.mail", need: "ask" }, mail, mark).reason).not.toMatch(/[\n\r\u2028]/);
  });
});
