import { analyseLine, findLineDestinations, indexRules, judgeCommands, type LineAnalysis } from "@toolwright/commands";
import type { Finding, Reach } from "../contract/decision.ts";
import type { ForeignMark } from "../contract/foreign.ts";
import { visibleText } from "../contract/visible-text.ts";
import type { SandboxRules } from "../ports/policy-rules.ts";
import type { PolicyDocument } from "./document/policy-document.ts";
import { readingMethods } from "./resource-layer.ts";
import { type ToolFacts, weightOf } from "./tool-layer.ts";

/** One tier's word on calls after foreign content, by handle, each with its place in the document. */
export type AfterForeign = ReadonlyMap<string, { readonly effect: "ask" | "none"; readonly rule: string }>;

export function compileAfterForeign(said: NonNullable<PolicyDocument["after_foreign"]>, where: string): AfterForeign {
  return new Map(Object.entries(said).map(([handle, effect]) => [handle, { effect, rule: `${where}.${handle}` }]));
}

/** What holds where the highest tier does not speak of `outside`. */
export const defaultAfterForeign: AfterForeign = new Map([["outside", { effect: "ask", rule: "default.after_foreign" }]]);

/** The rules by which calls of one tool ask once their session has read foreign content: each call, or those that reach outside. */
export interface ToolAfterForeign {
  readonly each: string | undefined;
  readonly outside: string | undefined;
}

/** The nearest word of each tier on the tool; over the tiers, one that asks holds. */
export function rulesAfterForeign(tool: ToolFacts, tiers: readonly AfterForeign[]): ToolAfterForeign {
  const { changes, leaves } = weightOf(tool);
  const asking = (find: (tier: AfterForeign) => ReturnType<AfterForeign["get"]>) =>
    tiers.map(find).find((said) => said?.effect === "ask")?.rule;
  const named = (tier: AfterForeign) => tier.get(tool.name) ?? tier.get(`group:${tool.group}`);
  return {
    each: asking((tier) => named(tier) ?? (changes ? tier.get("act") : undefined)),
    outside: leaves ? asking((tier) => (named(tier) ? undefined : tier.get("outside"))) : undefined,
  };
}

/**
 * True for a call of a tool that can change something outside the workspace, unless all that it names are requests that read, and commands
 * without a network, or with a filtered one and no destination.
 */
export function reachesOutside(reaches: readonly Reach[], { network }: Pick<SandboxRules, "network">): boolean {
  if (reaches.every(({ kind }) => kind === "path")) return true;
  return reaches.some((reach) => {
    if (reach.kind === "request") return !readingMethods.has(reach.method.toUpperCase());
    if (reach.kind === "path" || network === "none") return false;
    return connects(reach.command) || (network === "host" && !onlyReads(reach.command));
  });
}

/** False for a line that names no destination beyond the machine, and no program that has one elsewhere. */
export function connects(command: string): boolean {
  return isSo(command, (commands) => findLineDestinations(commands).some(({ reached }) => reached.destinations.length > 0), true);
}

const noRules = { mode: "full", blockHighRisk: false, approveMediumRisk: true, rules: indexRules([]), where: "commands" } as const;

/** True for a line of reviewed commands that only read. */
function onlyReads(command: string): boolean {
  const call = { command, autonomy: "supervised" } as const;
  return isSo(command, (commands) => judgeCommands({ ok: true, commands }, noRules, call).every(({ risk }) => risk === "low"), false);
}

type Commands = Extract<LineAnalysis, { ok: true }>["commands"];

/** The answer for a line that cannot be read is the one that is given. */
function isSo(command: string, ask: (commands: Commands) => boolean, unread: boolean): boolean {
  try {
    const analysis = analyseLine(command);
    return analysis.ok ? ask(analysis.commands) : unread;
  } catch {
    return unread;
  }
}

const longestPlace = 200;

/** Why a call asks in a session that has read what the mark says first. */
export function findingAfterForeign(rule: string, { name }: Pick<ToolFacts, "name">, mark: ForeignMark): Finding {
  const place = visibleText(mark.place ?? "");
  const from = place === "" ? "" : ` from ${place.length > longestPlace ? `${place.slice(0, longestPlace)}…` : place}`;
  return {
    effect: "ask",
    layer: "tool",
    rule,
    risk: "medium",
    reason: `The session has read content${from} that nobody here wrote (${mark.tool}, ${mark.callId}), so it may be that content that wants this call of ${name}.`,
    remedy: `Approve this call, or set after_foreign.${name} to none.`,
    foreign: mark,
  };
}
