import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compilePolicy } from "./compile-policy.ts";
import { parsePolicyDocument } from "./document/policy-document.ts";

/** A line of the kind that coding agents run, judged by hand before the policy saw it. */
interface EverydayLine {
  readonly id: string;
  /** `read`: it only reads inside the workspace; `rule`: the rules of the line say that it runs; `act`: a person is asked. */
  readonly kind: "read" | "rule" | "act";
  readonly command: string;
  readonly workdir?: string;
  /** Patterns of rules beside the built-in ones. */
  readonly allow?: readonly string[];
  readonly expect: "allow" | "ask";
  readonly why: string;
}

const lines = readFileSync(new URL("../../../../test/corpora/everyday-lines.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as EverydayLine);

const tool = { name: "exec", group: "runtime", effects: { exec: "run" }, approval: "auto" } as const;
const facts = { sandbox: { available: true, detail: "test" } };
const principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "cli" } as const;

function decide({ command, workdir, allow = [] }: EverydayLine) {
  const rules = allow.map((pattern) => ({ pattern, effect: "allow" }));
  const document = parsePolicyDocument({ version: 1, autonomy: "supervised", commands: { mode: "allowlist", rules } });
  const reach = { kind: "command", command, ...(workdir !== undefined && { workdir }), roots: ["/home/ann/shop"], watched: true } as const;
  return compilePolicy([{ tier: "platform", document }]).decide(tool, [reach], facts, principal).effect;
}

describe("lines that coding agents run every day", () => {
  test.each(lines.filter((line) => line.kind === "act").map((line) => [line.command, line.why, line] as const))(
    "%s does not run unasked: %s",
    (_command, _why, line) => expect(decide(line)).not.toBe("allow"),
  );

  test.each([
    ["only read inside the workspace", "read"],
    ["run by an explicit rule", "rule"],
  ] as const)("of those that %s, at most one in twenty asks", (_name, kind) => {
    const of = lines.filter((line) => line.kind === kind);
    const asked = of.filter((line) => decide(line) !== "allow").map(({ command }) => command);
    expect(asked.slice(Math.floor(of.length / 20))).toEqual([]);
  });
});
