import { formatPath, type RuleTest, sectionsOf, testRule } from "@toolwright/engine/policy";
import { describePosition, readPolicy } from "@toolwright/server/policy-file";
import { count } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { type CommonOptions, readSettings } from "../../settings.ts";
import { checkingPolicy } from "./read-named-policy.ts";

interface TestedRule {
  readonly rule: string;
  readonly pattern: string;
  readonly effect: string;
  readonly place: string;
  readonly tests: readonly RuleTest[];
  readonly problem?: string;
}

/** Runs the tests that the rules of a policy carry, and prints each. */
export function test(io: Io, options: CommonOptions, words: readonly string[]): Promise<number> {
  return checkingPolicy(io, options, () => runTests(io, options, words));
}

async function runTests(io: Io, options: CommonOptions, [file]: readonly string[]): Promise<number> {
  const settings = readSettings(file === undefined ? options : { ...options, policy: file }, io);
  const policy = await readPolicy(settings, io, { untested: true });
  const rules = sectionsOf(policy.file).flatMap(({ path, members }) =>
    (members.commands?.rules ?? []).map((rule, index): TestedRule => {
      const where = [...path, "commands", "rules", index];
      const { tests, problem } = testRule(rule);
      const place = policy.positionOf(where);
      const base = { rule: formatPath(where), pattern: rule.pattern, effect: rule.effect, tests };
      return { ...base, place: place ? describePosition(place) : "built in", ...(problem !== undefined && { problem }) };
    }),
  );
  const failed = rules.filter(({ problem }) => problem !== undefined).length;
  io.out(options.json ? `${JSON.stringify({ failed, rules }, null, 2)}\n` : describe(rules, failed));
  return failed === 0 ? exitCodes.done : exitCodes.failed;
}

function describe(rules: readonly TestedRule[], failed: number): string {
  const lines = rules.flatMap(({ place, effect, pattern, tests, problem }) => [
    `${place}  ${effect} ${JSON.stringify(pattern)}${tests.length === 0 ? "  has no tests" : ""}`,
    ...tests.map(({ line, expected, passed }) => `  ${passed ? "ok    " : "FAILED"}  ${expected === "match" ? "meets" : "leaves"} ${line}`),
    ...(tests.length === 0 && problem !== undefined ? [`  FAILED  ${problem}`] : []),
  ]);
  const tests = rules.reduce((sum, { tests }) => sum + tests.length, 0);
  return `${[...lines, ...(lines.length > 0 ? [""] : []), `${count(rules.length, "rule")}, ${count(tests, "test")}: ${count(failed, "rule")} failed.`].join("\n")}\n`;
}
