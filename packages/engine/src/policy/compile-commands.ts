import {
  analyseLine,
  builtInRules,
  type CommandRule,
  type CommandSettings,
  compileRule,
  findCovering,
  findRestricting,
  indexRules,
  judgeCommands,
} from "@toolwright/commands";
import type { Effect } from "../contract/decision.ts";
import { ToolwrightError } from "../contract/errors.ts";
import { toQuorum } from "./approval-layer.ts";
import type { PolicyDocument } from "./document/policy-document.ts";

type CommandsMember = NonNullable<PolicyDocument["commands"]>;

/** Compiles one tier's commands. Throws `policy_invalid` when a pattern covers nothing or a rule fails its own tests. */
export function compileCommands(member: CommandsMember, where: string): CommandSettings {
  const rules = member.rules.map((rule, index) => compileTestedRule(rule, `${where}.rules[${index}]`));
  return {
    mode: member.mode,
    blockHighRisk: member.block_high_risk,
    approveMediumRisk: member.approve_medium_risk,
    rules: indexRules(member.builtin_rules ? [...rules, ...builtInRules] : rules),
    where,
  };
}

function compileTestedRule(document: CommandRuleMember, where: string): CommandRule {
  const { rule, problem } = testRule(document);
  if (rule && problem === undefined)
    return {
      ...rule,
      where,
      ...(document.quorum && { quorum: toQuorum(document.quorum) }),
      ...(document.after_foreign && { afterForeign: true }),
    };
  throw new ToolwrightError("policy_invalid", `${where}: ${problem}`);
}

export type CommandRuleMember = CommandsMember["rules"][number];

/** One test that a rule carries, and how it ended. */
export interface RuleTest {
  readonly line: string;
  readonly expected: "match" | "not_match";
  readonly passed: boolean;
}

/** Compiles a rule and runs the tests that it carries; the problem is a sentence that says what to do. */
export function testRule(document: CommandRuleMember): {
  readonly rule: CommandRule | undefined;
  readonly tests: readonly RuleTest[];
  readonly problem: string | undefined;
} {
  const rule = compileRule(document.pattern, document.effect, "");
  if (!rule) {
    const problem = `the pattern ${JSON.stringify(document.pattern)} covers nothing. Begin it with the name of a program, without a wildcard.`;
    return { rule, tests: [], problem };
  }
  if (document.effect !== "allow" && !meetsItself(rule)) {
    const problem = `the pattern ${JSON.stringify(document.pattern)} meets no command. Write the words of one command, quoted where the shell would read more than a word into them; a line of several commands needs a rule for one of them.`;
    return { rule, tests: [], problem };
  }
  const run = (expected: RuleTest["expected"]) => (line: string) => ({
    line,
    expected,
    passed: speaksOf(rule, line) === (expected === "match"),
  });
  const tests = [...(document.match ?? []).map(run("match")), ...(document.not_match ?? []).map(run("not_match"))];
  const failures = tests
    .filter(({ passed }) => !passed)
    .map(({ line, expected }) => `it ${expected === "match" ? "does not match" : "matches"} ${JSON.stringify(line)}`);
  if (document.quorum && document.effect !== "ask") {
    return { rule, tests, problem: "only a rule that asks can demand approvers. Set its effect to ask, or leave quorum out." };
  }
  if (document.after_foreign && document.effect !== "allow") {
    return {
      rule,
      tests,
      problem: "only a rule that allows can hold after foreign content. Set its effect to allow, or leave after_foreign out.",
    };
  }
  if (failures.length > 0) {
    const problem = `the rule ${JSON.stringify(rule.text)} fails its own tests: ${failures.join("; ")}. Correct the pattern or the tests.`;
    return { rule, tests, problem };
  }
  return { rule, tests, problem: findPowerless(rule) };
}

/** Why a rule that names one whole command does not even let that one run. What is of high risk is another matter: settings decide about it. */
function findPowerless(rule: CommandRule): string | undefined {
  const { exact, folder, program, words } = rule.pattern;
  if (rule.effect !== "allow" || !exact || (folder && "shape" in folder)) return undefined;
  const quoted = words.slice(1).map((word) => ("literal" in word ? `'${word.literal.replaceAll("'", "'\\''")}'` : ""));
  const line = [...(folder ? [`cd ${folder.literal} &&`] : []), program, ...quoted].join(" ");
  const alone = { mode: "allowlist", blockHighRisk: false, approveMediumRisk: true, where: "" } as const;
  const settings = { ...alone, rules: indexRules([rule, ...builtInRules]) };
  // A rule takes what expands for plain text, which is not what its author wrote.
  const written = /[$`]/.test(rule.text) ? analyseLine(rule.text) : undefined;
  const found =
    written?.ok !== false
      ? judgeCommands(analyseLine(line), settings, { command: line, autonomy: "supervised", watched: true })
      : [written];
  const objection = found.find(({ effect, ...finding }) => effect !== "allow" && !("risk" in finding && finding.risk === "high"));
  return (
    objection &&
    `the rule ${JSON.stringify(rule.text)} never allows what it says. ${objection.reason} Remove the rule, or write a command that can be judged; calls of it ask.`
  );
}

/** Whether it meets what its author wrote, with words for the wildcards outside of quotes; a last `*` may stand for nothing. */
function meetsItself(rule: CommandRule): boolean {
  const fill = (text: string) => text.replace(/'[^']*'|"[^"]*"|[*?]/g, (part) => (part === "*" || part === "?" ? "x" : part));
  return [rule.text, rule.text.replace(/\*\s*$/, "")].some((text) => speaksOf(rule, fill(text)));
}

/** An allowing rule must cover every command of the line; any other speaks of the line when it meets one. */
function speaksOf(rule: CommandRule, line: string): boolean {
  const analysis = analyseLine(line);
  if (!analysis.ok) return false;
  const index = indexRules([rule]);
  if (rule.effect === "allow") return analysis.commands.every((command) => findCovering(index, command.argv).length > 0);
  const restricting = index[rule.effect satisfies Exclude<Effect, "allow">];
  return analysis.commands.some((command) => command.levels.some((argv) => findRestricting(restricting, argv) !== undefined));
}

/** A command rule with the tests that it carries, and how they ended. */
export interface TestedRule extends Pick<CommandRuleMember, "pattern" | "effect"> {
  readonly path: readonly (string | number)[];
  readonly tests: readonly RuleTest[];
  /** Why the rule cannot be put in force; undefined when it can. */
  readonly problem?: string | undefined;
}
