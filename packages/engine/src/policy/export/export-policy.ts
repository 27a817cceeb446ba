import { baseName, compilePattern } from "@toolwright/commands";
import type { Decision, Effect } from "../../contract/decision.ts";
import type { Principal } from "../../contract/principal.ts";
import type { CommandRuleMember } from "../compile-commands.ts";
import { compilePolicy } from "../compile-policy.ts";
import { formatPath } from "../document/format-path.ts";
import { defaultPolicy } from "../document/policy-document.ts";
import { describeContainment } from "../explain-decision.ts";
import type { PolicyTier } from "../policy.ts";
import { type ToolFacts, weightOf } from "../tool-layer.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { type ExportEntry, type ExportFile, type ExportOutcome, type ExportTarget, reasons, unsupported } from "./export-target.ts";
import { geminiCli } from "./gemini-cli.ts";

const targets: readonly ExportTarget[] = [claudeCode, codex, geminiCli];

/** Agents whose rule format a policy can be written in. */
export const exportTargets: readonly string[] = targets.map(({ name }) => name);

/** What became of one member of the policy. */
export interface ExportedRule {
  readonly rule: string;
  readonly grade: ExportOutcome["grade"];
  /** What it became there. */
  readonly as: readonly string[];
  /** What is lost. */
  readonly reason?: string;
}

export interface PolicyExport {
  readonly files: readonly ExportFile[];
  readonly rules: readonly ExportedRule[];
}

/**
 * Writes a policy in the rule format of another agent, and says of each rule what is lost there. Undefined for a target that is not
 * known. Rules that would allow more than they name are left out. `documents` is highest tier first.
 */
export function exportPolicy(documents: readonly PolicyTier[], target: string, tools: readonly ToolFacts[]): PolicyExport | undefined {
  const found = targets.find(({ name }) => name === target);
  if (!found) return undefined;
  const context = { target: found, tools, decide: decisionsOf(documents, tools) };
  const outcomes = documents.flatMap((tier, index) => exportTier(index === 0 ? withDefaults(tier) : tier, index > 0, context));
  const entries = outcomes.flatMap(([, outcome]) => (outcome.grade === "unsupported" ? [] : outcome.entries));
  const rules = outcomes.map(([rule, outcome]) => ({ rule, grade: outcome.grade, as: textsOf(outcome), ...reasonOf(outcome) }));
  return { files: found.render(entries), rules };
}

const textsOf = (outcome: ExportOutcome) => (outcome.grade === "unsupported" ? [] : outcome.entries.map(({ text }: ExportEntry) => text));
const reasonOf = (outcome: ExportOutcome) => ("reason" in outcome ? { reason: outcome.reason } : {});

/** What the highest tier leaves out has the default. */
const withDefaults = (tier: PolicyTier): PolicyTier => ({ ...tier, document: { ...defaultPolicy, ...tier.document } });

type Exported = readonly [rule: string, outcome: ExportOutcome];

interface Context {
  readonly target: ExportTarget;
  readonly tools: readonly ToolFacts[];
  /** What the whole policy says of a command, in the strictest of the tools that run commands. */
  readonly decide: (command: string) => Decision | undefined;
}

const principal: Principal = { tenant: "", actor: { kind: "user", id: "" }, permissions: [], door: "cli" };
const facts = { sandbox: { available: true, detail: "assumed" } };

/** Asks the whole policy for everybody, for each tool that runs commands. */
function decisionsOf(documents: readonly PolicyTier[], tools: readonly ToolFacts[]): Context["decide"] {
  const policy = compilePolicy(documents.filter(({ agent }) => agent === undefined));
  const runners = tools.filter((tool) => weightOf(tool).starts === "commands");
  return (command) => {
    const decisions = runners.map((tool) => policy.decide(tool, [{ kind: "command", command }], facts, principal));
    return decisions.find(({ effect }) => effect !== "allow") ?? decisions[0];
  };
}

/** A lower tier only narrows, and there is one tier there: its denials go along, what it allows does not. */
function exportTier(tier: PolicyTier, isLower: boolean, context: Context): readonly Exported[] {
  if (tier.agent !== undefined) return [[`agents.${tier.agent}`, unsupported("Rules for one agent alone cannot be said there.")]];
  const prefix = isLower ? `${tier.tier}.` : "";
  const all: readonly (readonly [string, Effect | undefined, () => ExportOutcome])[] = [
    ...exportTools(tier, context),
    ...exportCommands(tier, context),
    ...exportMembers(tier, context),
  ];
  return all.map(([rule, effect, run]) => {
    const narrows = effect === "deny" || effect === "ask";
    return [
      `${prefix}${rule}`,
      isLower && !narrows ? unsupported("There is one tier there, so what narrows a higher one cannot be said.") : run(),
    ];
  });
}

type Pending = readonly [rule: string, effect: Effect | undefined, run: () => ExportOutcome];

function exportTools({ document: { tools: lists = {} } }: PolicyTier, { target, tools }: Context): Pending[] {
  const namesOf = (handle: string) =>
    tools.filter(({ name, group }) => handle === name || handle === `group:${group}`).map(({ name }) => name);
  const restricting = (["deny", "ask"] as const).flatMap((effect) =>
    (lists[effect] ?? []).map((handle, index): Pending => {
      const names = handle.startsWith("group:") ? namesOf(handle) : [handle];
      return [`tools.${effect}[${index}]`, effect, () => target.tools({ effect, names, others: [] })];
    }),
  );
  if (!lists.allow) return restricting;
  const names = lists.allow.flatMap(namesOf);
  const others = tools.map(({ name }) => name).filter((name) => !names.includes(name));
  return [["tools.allow", "deny", () => target.tools({ effect: "allow", names, others })], ...restricting];
}

function exportCommands({ document: { commands } }: PolicyTier, context: Context): Pending[] {
  const { target } = context;
  if (!commands) return [];
  const none = (member: string, reason: string): Pending => [`commands.${member}`, undefined, () => unsupported(reason)];
  return [
    ["commands.mode", commands.mode === "deny" ? "deny" : undefined, () => target.members.mode?.(commands.mode) ?? unsupported(notThere)],
    ...(commands.block_high_risk ? [none("block_high_risk", "It has no classes of risk.")] : []),
    ...(commands.approve_medium_risk ? [none("approve_medium_risk", "It has no classes of risk.")] : []),
    ...(commands.builtin_rules ? [none("builtin_rules", "The reviewed commands are not written out.")] : []),
    ...commands.rules.map(
      (rule, index): Pending => [formatPath(["commands", "rules", index]), rule.effect, () => exportRule(rule, context)],
    ),
  ];
}

const notThere = "It has no such setting.";

function exportRule(rule: CommandRuleMember, { target, decide }: Context): ExportOutcome {
  const compiled = compilePattern(rule.pattern);
  if (!compiled) return unsupported("The pattern covers nothing.");
  if (rule.effect === "allow" && compiled.folder) return unsupported(reasons.folder);
  const decision = rule.effect === "allow" && compiled.exact ? decide(rule.pattern) : undefined;
  if (decision && decision.effect !== "allow") return unsupported(`Not allowed here either. ${decision.reason}`);
  const literals = compiled.words.map((word) => ("literal" in word ? word.literal : undefined));
  const wildcard = literals.indexOf(undefined);
  const leading = (wildcard < 0 ? literals : literals.slice(0, wildcard)) as string[];
  // What restricts speaks of a program wherever it lies.
  if (rule.effect !== "allow") leading[0] = baseName(compiled.program);
  const outcome = target.command({ ...rule, compiled, leading, isPrefix: compiled.rest && wildcard < 0 });
  if (outcome.grade !== "degraded") return outcome;
  const lost = [...(rule.quorum ? [reasons.onePerson] : []), ...(decision?.reliesOn ? [notHeld(decision.reliesOn)] : [])];
  return { ...outcome, reason: [outcome.reason, ...lost].join(" ") };
}

const notHeld = (reliesOn: NonNullable<Decision["reliesOn"]>) =>
  `What it relies on here is not held there by this rule: ${describeContainment(reliesOn)}.`;

function exportMembers(
  { document: { autonomy, approvals, paths, network, sandbox, rates, after_foreign: afterForeign } }: PolicyTier,
  { target: { members } }: Context,
): Pending[] {
  const hosts = (["allow", "deny"] as const).flatMap((effect) =>
    (network?.[effect] ?? []).map(
      (rule, index): Pending => [`network.${effect}[${index}]`, effect, () => members.host?.(rule, effect) ?? unsupported(notThere)],
    ),
  );
  return [
    ...(autonomy ? [["autonomy", undefined, () => members.autonomy?.(autonomy) ?? unsupported(notThere)] as const] : []),
    ...(approvals?.grants === false ? [["approvals.grants", "ask", () => unsupported(notThere)] as const] : []),
    ...(approvals?.quorum ?? []).map(
      (_, index): Pending => [`approvals.quorum[${index}]`, "ask", () => unsupported("One person says yes there.")],
    ),
    ...(paths?.forbidden ?? []).map(
      (path, index): Pending => [`paths.forbidden[${index}]`, "deny", () => members.forbidden?.(path) ?? unsupported(notThere)],
    ),
    ...(paths?.roots ?? []).map((_, index): Pending => [`paths.roots[${index}]`, undefined, () => unsupported(notThere)]),
    ...hosts,
    ...(network?.allow_ranges ?? []).map((_, index): Pending => [`network.allow_ranges[${index}]`, undefined, () => unsupported(notThere)]),
    ...Object.entries(sandbox ?? {}).map(
      ([name, value]): Pending => [`sandbox.${name}`, undefined, () => members.sandbox?.(name, value) ?? unsupported(notThere)],
    ),
    ...Object.keys(afterForeign ?? {}).map(
      (handle): Pending => [`after_foreign.${handle}`, undefined, () => unsupported("It does not know what a session has read.")],
    ),
    ...Object.keys(rates ?? {}).map(
      (handle): Pending => [`rates.${handle}`, undefined, () => unsupported("It has no limits on how often.")],
    ),
  ];
}
