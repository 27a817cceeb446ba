import { analyseLine, type CommandRule, compileRule, findProgram, judgeCommands } from "@toolwright/commands";
import { compareEffects, type Finding } from "../../contract/decision.ts";
import type { CommandRuleMember } from "../compile-commands.ts";
import { compileTiers } from "../compile-tiers.ts";
import type { PolicyTier } from "../policy.ts";
import { coversPattern, isSameFolder } from "./covers-pattern.ts";
import { companionsOf, documentOf, type LintFinding, type LintSubject, nameOf } from "./lint-finding.ts";

/** Rules that never decide anything, rules that others cover, rules without tests. */
export function lintCommands(subject: LintSubject): readonly LintFinding[] {
  const { commands } = documentOf(subject).document;
  if (!commands) return [];
  if (commands.mode === "deny" && commands.rules.length > 0) {
    const message = "No command runs in this mode, so the rules have no effect. Use allowlist, or remove the rules.";
    return [{ level: "warning", document: subject.index, path: ["commands", "mode"], message }];
  }
  return commands.rules.flatMap((member, index) => {
    const rule = compileRule(member.pattern, member.effect, "");
    const found = rule ? findDead({ member, rule, index }, subject) : undefined;
    const path = ["commands", "rules", index];
    const problems = (found ? [found] : []).map(({ level, message }) => ({ level, document: subject.index, path, message }));
    return [...problems, ...lintTests(member, { document: subject.index, path })];
  });
}

function lintTests({ match = [], not_match = [] }: CommandRuleMember, place: Pick<LintFinding, "document" | "path">): LintFinding[] {
  if (match.length > 0 || not_match.length > 0) return [];
  return [{ ...place, level: "hint", message: "The rule has no tests. Say with match and not_match what it should and should not meet." }];
}

interface Subject {
  readonly member: CommandRuleMember;
  readonly rule: CommandRule;
  readonly index: number;
}

type Found = Pick<LintFinding, "level" | "message">;

function findDead(each: Subject, subject: LintSubject): Found | undefined {
  return (
    findStricter(each, subject) ?? findTwin(each, subject) ?? (each.member.effect === "allow" ? findPowerless(each, subject) : undefined)
  );
}

/** A stricter rule that speaks of everything this one does. */
function findStricter({ rule }: Subject, subject: LintSubject): Found | undefined {
  for (const tier of companionsOf(subject)) {
    for (const [index, { pattern, effect }] of (tier.document.commands?.rules ?? []).entries()) {
      const other = compareEffects(effect, rule.effect) > 0 ? compileRule(pattern, effect, "") : undefined;
      if (!other || !coversPattern(other.pattern, rule.pattern)) continue;
      const where = nameOf(tier, ["commands", "rules", index]);
      const message = `${JSON.stringify(rule.text)} never decides: ${where} (${effect} ${JSON.stringify(pattern)}) speaks of all that it matches, and is stricter.`;
      return { level: "warning", message };
    }
  }
  return undefined;
}

/** A rule of the same effect that covers it. One that names a whole command says more than a wildcard: its arguments are its review. */
function findTwin({ rule, index }: Subject, subject: LintSubject): Found | undefined {
  for (const [at, { pattern, effect }] of (documentOf(subject).document.commands?.rules ?? []).entries()) {
    const other = at !== index && effect === rule.effect ? compileRule(pattern, effect, "") : undefined;
    if (!other || !coversPattern(other.pattern, rule.pattern)) continue;
    // A rule that allows without a folder speaks of the workspace's root alone.
    if (effect === "allow" && !isSameFolder(other.pattern, rule.pattern)) continue;
    const isSame = coversPattern(rule.pattern, other.pattern);
    if (isSame ? at > index : effect === "allow" && rule.pattern.exact && !other.pattern.exact) continue;
    return {
      level: "hint",
      message: `${JSON.stringify(rule.text)} is covered by commands.rules[${at}] (${JSON.stringify(pattern)}) already.`,
    };
  }
  return undefined;
}

/** An allowing rule that allows nothing, or nothing that would not run without it. */
function findPowerless({ member, rule, index }: Subject, subject: LintSubject): Found | undefined {
  const text = JSON.stringify(rule.text);
  if (!rule.pattern.exact && findProgram(rule.pattern.program) === undefined) {
    const message = `${text} never allows: the arguments of ${rule.pattern.program} are not reviewed, so only a rule without wildcards covers it. Write out the whole command.`;
    return { level: "warning", message };
  }
  // A pattern that names one command, folder and all, is its own example.
  const isOne = rule.pattern.exact && !(rule.pattern.folder && "shape" in rule.pattern.folder);
  const examples = isOne ? [member.pattern] : (member.match ?? []);
  const tiers = companionsOf(subject);
  const objections = examples.map((line) => findObjection(line, tiers));
  const first = objections.find((objection) => objection !== undefined);
  if (first && objections.every((objection) => objection !== undefined))
    return { level: "warning", message: `${text} does not allow ${JSON.stringify(examples[0])}: ${first.reason} (${first.rule})` };
  const without = tiers.map((tier) => (tier === documentOf(subject) ? withoutRule(tier, index) : tier));
  const isNeedless = isOne && examples.every((line) => findObjection(line, without) === undefined);
  return isNeedless ? { level: "hint", message: `${text} runs unasked without this rule too.` } : undefined;
}

function findObjection(line: string, tiers: readonly PolicyTier[]): Finding | undefined {
  const { commands, autonomy } = compileTiers(tiers);
  const analysis = analyseLine(line);
  return commands
    .flatMap((settings) => judgeCommands(analysis, settings, { command: line, autonomy }))
    .find(({ effect }) => effect !== "allow");
}

function withoutRule(tier: PolicyTier, index: number): PolicyTier {
  const { commands } = tier.document;
  if (!commands) return tier;
  return { ...tier, document: { ...tier.document, commands: { ...commands, rules: commands.rules.filter((_, at) => at !== index) } } };
}
