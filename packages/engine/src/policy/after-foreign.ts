import {
  analyseLine,
  type CommandCall,
  type CommandRule,
  findLineDestinations,
  indexRules,
  judgeCommands,
  type LineAnalysis,
} from "@toolwright/commands";
import type { CommandReach, Finding, Reach } from "../contract/decision.ts";
import type { ForeignMark } from "../contract/foreign.ts";
import { oneLine } from "../contract/visible-text.ts";
import type { SandboxRules } from "../ports/policy-rules.ts";
import type { PolicyDocument } from "./document/policy-document.ts";
import { readingMethods } from "./resource-layer.ts";
import { type ToolFacts, weightOf } from "./tool-layer.ts";

/** What a call needs: a person, also a yes that was remembered before the session read anything foreign, or nothing. */
type Need = NonNullable<PolicyDocument["after_foreign"]>[string];

/** A rule by which calls ask once their session has read foreign content. */
export interface ForeignRule {
  /** Where it stands in the document. */
  readonly rule: string;
  readonly need: Exclude<Need, "none">;
}

/** One tier's word on calls after foreign content, by handle. */
export type AfterForeign = ReadonlyMap<string, { readonly rule: string; readonly need: Need }>;

export function compileAfterForeign(said: NonNullable<PolicyDocument["after_foreign"]>, where: string): AfterForeign {
  return new Map(Object.entries(said).map(([handle, need]) => [handle, { need, rule: `${where}.${handle}` }]));
}

/** What holds where the highest tier does not speak of `outside`. */
export const defaultAfterForeign: AfterForeign = new Map([["outside", { need: "ask", rule: "default.after_foreign" }]]);

/** The rules for calls of one tool: for each, or for those that reach outside. */
export interface ToolAfterForeign {
  readonly each: ForeignRule | undefined;
  readonly outside: ForeignRule | undefined;
}

/** The nearest word of each tier on the tool; over the tiers, the one that needs most holds. */
export function rulesAfterForeign(tool: ToolFacts, tiers: readonly AfterForeign[]): ToolAfterForeign {
  const { changes, leaves } = weightOf(tool);
  const named = (tier: AfterForeign) => tier.get(tool.name) ?? tier.get(`group:${tool.group}`);
  return {
    each: strictestRule(tiers.map((tier) => named(tier) ?? (changes ? tier.get("act") : undefined))),
    outside: leaves ? strictestRule(tiers.map((tier) => (named(tier) ? undefined : tier.get("outside")))) : undefined,
  };
}

export function strictestRule(said: readonly ReturnType<AfterForeign["get"]>[]): ForeignRule | undefined {
  const find = (need: ForeignRule["need"]) => {
    const found = said.find((each) => each?.need === need);
    return found && { rule: found.rule, need };
  };
  return find("ask") ?? find("granted");
}

/** What decides which commands reach outside. */
interface OutsideRules {
  readonly network: SandboxRules["network"];
  /** Rules of the highest tier that allow a command after foreign content, too. */
  readonly freed: readonly CommandRule[];
}

/**
 * True for a call of a tool that can change something outside the workspace, unless all that it names are requests that read, and commands that have
 * no network, or tell by their words that they connect nowhere (with the network of the host: that they only read), or that a rule frees.
 */
export function reachesOutside(reaches: readonly Reach[], { network, freed }: OutsideRules): boolean {
  if (reaches.every(({ kind }) => kind === "path")) return true;
  return reaches.some((reach) => {
    if (reach.kind === "request") return !readingMethods.has(reach.method.toUpperCase());
    if (reach.kind === "path" || network === "none") return false;
    const isInside = !mayConnect(reach) && (network === "filtered" || onlyReads(reach));
    return !isInside && !isFreed(reach, { network, freed });
  });
}

/** False for a line that tells by its words that it connects nowhere beyond the machine. */
export function mayConnect(reach: CommandLine): boolean {
  return isSo(reach, (commands) => findConnecting(commands).includes(true), true);
}

/** False for a line that names no destination beyond the machine, and no program that has one elsewhere. */
export function connects(reach: CommandLine): boolean {
  return isSo(reach, (commands) => findLineDestinations(commands).some(({ reached }) => reached.destinations.length > 0), true);
}

/** For each command of a line, whether it may connect: it names a destination, or its words do not tell. */
function findConnecting(commands: Commands): readonly boolean[] {
  return findLineDestinations(commands).map(({ reached, hidden }) => hidden || reached.destinations.length > 0);
}

/** True where rules that hold after foreign content, too, cover every command that reaches outside. */
function isFreed(reach: CommandReach, { network, freed }: OutsideRules): boolean {
  if (freed.length === 0) return false;
  const call = { ...reach, autonomy: "supervised" } as const;
  return isSo(
    reach,
    (commands) => {
      const connecting = findConnecting(commands);
      const reads = judgeCommands({ ok: true, commands }, noRules, call).map(({ risk }) => risk === "low");
      const isInside = (index: number) => !connecting[index] && (network === "filtered" || reads[index] === true);
      const judged = judgeCommands({ ok: true, commands }, { ...noRules, mode: "allowlist", rules: indexRules(freed) }, call);
      return judged.every(({ effect }, index) => effect === "allow" || isInside(index));
    },
    false,
  );
}

const noRules = { mode: "full", blockHighRisk: false, approveMediumRisk: true, rules: indexRules([]), where: "commands" } as const;

/** True for a line of reviewed commands that only read. */
function onlyReads({ command, roots }: CommandReach): boolean {
  const call = { command, roots, autonomy: "supervised" } as const;
  return isSo(call, (commands) => judgeCommands({ ok: true, commands }, noRules, call).every(({ risk }) => risk === "low"), false);
}

type CommandLine = Pick<CommandCall, "command" | "roots">;
type Commands = Extract<LineAnalysis, { ok: true }>["commands"];

/** The answer for a line that cannot be read is the one that is given. */
function isSo(reach: CommandLine, ask: (commands: Commands) => boolean, unread: boolean): boolean {
  try {
    const analysis = analyseLine(reach.command, reach);
    return analysis.ok ? ask(analysis.commands) : unread;
  } catch {
    return unread;
  }
}

const longestPlace = 200;

/** Why a call asks in a session that has read what the mark says first. */
export function findingAfterForeign({ rule, need }: ForeignRule, { name }: Pick<ToolFacts, "name">, mark: ForeignMark): Finding {
  const place = oneLine(mark.place ?? "");
  const from = place === "" ? "" : ` from ${place.length > longestPlace ? `${place.slice(0, longestPlace)}…` : place}`;
  return {
    effect: "ask",
    layer: "tool",
    rule,
    risk: "medium",
    reason: `The session has read content${from} that nobody here wrote (${mark.tool}, ${mark.callId}), so it may be that content that wants this call of ${name}.`,
    remedy: `Approve this call, or set after_foreign.${name} to none.`,
    foreign: mark,
    ...(need === "ask" && { grantsSince: mark.at }),
  };
}
