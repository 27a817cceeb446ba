import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareEffects, type Decision, type Effect, type Reach } from "../contract/decision.ts";
import type { Principal } from "../contract/principal.ts";
import { compilePolicy, type PolicyTier, type Tier } from "./compile-policy.ts";
import { parsePolicyDocument } from "./document/policy-document.ts";

const facts = { sandbox: { available: true, detail: "" } };
const principal: Principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "cli" };
const exec = { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" } as const;
const tools = [
  exec,
  { name: "file_write", group: "fs", effects: { files: "write" }, approval: "auto" },
  { name: "file_delete", group: "fs", effects: { files: "write", destructive: true }, approval: "auto" },
  { name: "http_request", group: "net", effects: { http: "write" }, approval: "always_ask" },
] as const;

const words = ["git", "status", "log", "ls", "npm", "test", "rm", "-rf", "src", "make", "*", "git*", "sudo", "cat", "README.md"] as const;
const effect = fc.constantFrom<Effect>("allow", "ask", "deny");
const pattern = fc
  .tuple(fc.constantFrom("git", "ls", "npm", "rm", "make", "cat", "sudo"), fc.array(fc.constantFrom(...words), { maxLength: 2 }))
  .map(([program, rest]) => [program, ...rest].join(" "));
const rules = fc.array(fc.record({ pattern, effect }), { maxLength: 8 });
const command = fc
  .array(
    fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((list) => list.join(" ")),
    { minLength: 1, maxLength: 3 },
  )
  .map((list) => list.join(" && "));
const handles = fc.array(fc.constantFrom("exec", "file_write", "file_delete", "group:fs", "group:net"), { maxLength: 3 });
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const document = fc
  .record({
    version: fc.constant(1),
    autonomy: optional(fc.constantFrom("read_only", "supervised", "full")),
    tools: optional(fc.record({ allow: optional(handles), deny: optional(handles), ask: optional(handles) })),
    approvals: optional(
      fc.record({
        grants: fc.boolean(),
        quorum: fc.array(
          fc.record({ tools: optional(fc.subarray(["exec", "group:fs"], { minLength: 1 })), approvers: fc.nat(2).map((n) => n + 1) }),
          {
            maxLength: 2,
          },
        ),
      }),
    ),
    commands: optional(
      fc.record({
        mode: fc.constantFrom("full", "allowlist", "deny"),
        block_high_risk: fc.boolean(),
        approve_medium_risk: fc.boolean(),
        builtin_rules: fc.boolean(),
        rules,
      }),
    ),
    network: optional(
      fc.record({
        allow: optional(fc.subarray(["*.example.org", "api.example.org", "b.example", "*"])),
        deny: optional(fc.subarray(["b.example"])),
      }),
    ),
    sandbox: optional(
      fc.record({
        mode: optional(fc.constantFrom("host", "auto", "bwrap")),
        unavailable: optional(fc.constantFrom("refuse", "ask")),
        git: optional(fc.constantFrom("sealed", "writable")),
      }),
    ),
  })
  .map((value) => parsePolicyDocument(JSON.parse(JSON.stringify(value))));

const reach = fc.oneof(
  command.map((text): Reach => ({ kind: "command", command: text })),
  fc.constantFrom<Reach>(
    { kind: "request", url: "https://api.example.org/", method: "GET" },
    { kind: "request", url: "https://b.example/", method: "POST" },
    { kind: "path", path: "src/a", access: "write" },
    { kind: "path", path: ".env", access: "read" },
  ),
);

const demandsOf = ({ findings }: Decision) =>
  findings.flatMap(({ quorum, grantable }) => (quorum || grantable === false ? [{ quorum, grantable }] : []));

const decideCommand = (list: readonly { pattern: string; effect: Effect }[], text: string, mode = "allowlist") => {
  const loaded = parsePolicyDocument({ version: 1, commands: { mode, block_high_risk: false, builtin_rules: false, rules: list } });
  return compilePolicy([{ tier: "platform", document: loaded }]).decide(exec, [{ kind: "command", command: text }], facts, principal)
    .effect;
};

describe("laws of the policy", () => {
  test("deny > ask > allow in any rule order (R-AP-1)", () => {
    fc.assert(
      fc.property(rules, command, fc.infiniteStream(fc.nat()), (list, text, keys) => {
        const shuffled = list
          .map((rule) => ({ rule, key: keys.next().value as number }))
          .sort((a, b) => a.key - b.key)
          .map(({ rule }) => rule);
        expect(decideCommand(shuffled, text)).toBe(decideCommand(list, text));
      }),
    );
  });

  test("a restricting rule never widens, an allowing one never narrows (R-AP-1)", () => {
    fc.assert(
      fc.property(rules, fc.record({ pattern, effect }), command, (list, added, text) => {
        const change = compareEffects(decideCommand([...list, added], text), decideCommand(list, text));
        expect(added.effect === "allow" ? change <= 0 : change >= 0).toBe(true);
      }),
    );
  });

  test("a lower tier never widens", () => {
    const lower = fc.uniqueArray(fc.record({ tier: fc.constantFrom<Tier>("tenant", "agent", "session"), document }), {
      selector: ({ tier }) => tier,
      maxLength: 2,
    });
    fc.assert(
      fc.property(
        document,
        lower,
        fc.record({ tier: fc.constant<Tier>("session"), document }),
        reach,
        (platform, between, added, reached) => {
          const above: PolicyTier[] = [{ tier: "platform", document: platform }, ...between.filter(({ tier }) => tier !== "session")];
          const before = compilePolicy(above);
          const after = compilePolicy([...above, added]);
          for (const tool of tools) {
            expect(compareEffects(after.decideTool(tool).effect, before.decideTool(tool).effect)).toBeGreaterThanOrEqual(0);
            const [strict, loose] = [after, before].map((policy) => policy.decide(tool, [reached], facts, principal)) as [
              Decision,
              Decision,
            ];
            expect(compareEffects(strict.effect, loose.effect)).toBeGreaterThanOrEqual(0);
            if (strict.effect === "ask") expect(demandsOf(strict)).toEqual(expect.arrayContaining(demandsOf(loose)));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("an agent's document never widens what holds for everybody, nor does a second agent's", () => {
    const agents = fc
      .tuple(document, document)
      .map((documents): PolicyTier[] => documents.map((each, index) => ({ tier: "agent", agent: `a${index}`, document: each })));
    fc.assert(
      fc.property(fc.option(document), agents, reach, (platform, own, reached) => {
        const shared: PolicyTier[] = platform ? [{ tier: "platform", document: platform }] : [];
        const policy = compilePolicy([...own, ...shared]);
        const everybody = policy.forPrincipal(principal);
        const one = policy.forPrincipal({ ...principal, agent: "a0" });
        const both = policy.forPrincipal({ tenant: "acme", actor: { kind: "agent", id: "a1" }, agent: "a0" });
        for (const tool of tools) {
          const [loose, strict, strictest] = [everybody, one, both].map((each) => each.decide(tool, [reached], facts, principal).effect);
          expect(compareEffects(strict as Effect, loose as Effect)).toBeGreaterThanOrEqual(0);
          expect(compareEffects(strictest as Effect, strict as Effect)).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 200 },
    );
  });

  test("quoting a word in any way never raises a verdict (R-EX-5)", () => {
    // Not assignments and keywords: quotes make them names of programs, which is another command.
    const plain = fc.constantFrom(
      "git",
      "status",
      "log",
      "rm",
      "-rf",
      "ls",
      "-la",
      "src",
      "cat",
      "README.md",
      ".env",
      "../x",
      "--output=x",
      "/etc/passwd",
      "sudo",
      "env",
      "timeout",
      "5",
    );
    const quote = fc.constantFrom(
      (word: string) => word,
      (word: string) => `'${word}'`,
      (word: string) => `"${word}"`,
      (word: string) => `\\${word}`,
      (word: string) => `${word.slice(0, 1)}''${word.slice(1)}`,
      (word: string) => `${word.slice(0, -1)}"${word.slice(-1)}"`,
    );
    fc.assert(
      fc.property(
        rules,
        fc.array(fc.tuple(plain, quote), { minLength: 1, maxLength: 5 }),
        fc.constantFrom("full", "allowlist"),
        (list, parts, mode) => {
          const bare = decideCommand(list, parts.map(([word]) => word).join(" "), mode);
          const quoted = decideCommand(list, parts.map(([word, spell]) => spell(word)).join(" "), mode);
          expect(compareEffects(quoted, bare)).toBeGreaterThanOrEqual(0);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test("no text makes the analysis throw, and none is undecided (R-EX-3)", () => {
    const fragment = fc.constantFrom(
      "ls",
      " ",
      "'",
      '"',
      "\\",
      "$(",
      ")",
      "`",
      "<<E\n",
      "\nE\n",
      "|",
      "&&",
      "{",
      "}",
      "((",
      "))",
      "[[",
      "]]",
      "if",
      "then",
      "fi",
      ";",
      "\0",
      "~",
      "*",
      "case x in",
      "esac",
      "é",
    );
    fc.assert(
      fc.property(
        fc.array(fragment, { maxLength: 30 }).map((list) => list.join("")),
        (text) => {
          expect(["allow", "ask", "deny"]).toContain(decideCommand([{ pattern: "ls *", effect: "allow" }], text));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
