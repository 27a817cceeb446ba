import { analyseLine, compileRule, findLineDestinations, findRestricting, indexRules } from "@toolwright/commands";
import { coversHost, deniesTarget, judgeTarget, judgeUrl, normalizeHost, parseHostRule, type Target } from "@toolwright/commands/targets";
import { type CommandReach, type Decision, type Finding, type Reach, strictest } from "../../contract/decision.ts";
import type { Actor, Bounds, Delegation, Principal } from "../../contract/principal.ts";
import { coverReach, isPathWithin, readPlainPath } from "../grants/grant-reach.ts";
import { credentialsOf } from "../request-text.ts";
import type { ToolFacts } from "../tool-layer.ts";

interface BoundCall {
  readonly principal: Principal;
  readonly tool: ToolFacts;
  readonly reaches: readonly Reach[];
}

/** Adds the denials of every bound from the caller up to whom all of it comes from: a child is never more than any of them. */
export function narrowDecision(decision: Decision, call: BoundCall): Decision {
  const denials = judgeBounds(call);
  return denials.length === 0 ? decision : strictest([...decision.findings, ...denials], decision.revision);
}

/** From whom a principal has what it has, nearest first, with the bounds on the way. */
export function lineageOf({
  delegated,
}: Principal): readonly (Omit<Delegation, "from"> & { readonly by: Actor; readonly agent?: string })[] {
  if (!delegated) return [];
  const { from, ...bounds } = delegated;
  return [{ ...bounds, by: from.actor, ...(from.agent !== undefined && { agent: from.agent }) }, ...lineageOf(from)];
}

const members: Readonly<Record<keyof Delegation, true>> = { from: true, ceiling: true, assignment: true, deny: true };

/** Stored principals may come from another version: a bound that this one cannot judge permits nothing. */
function findUnknown(delegated: Delegation): string | undefined {
  return Object.keys(delegated).find((name) => !Object.hasOwn(members, name));
}

function judgeBounds({ principal, tool, reaches }: BoundCall): readonly Finding[] {
  const findings: Finding[] = [];
  for (let { delegated, agent } = principal; delegated; { delegated, agent } = delegated.from) {
    const name = agent ?? "sub-agent";
    const unknown = findUnknown(delegated);
    if (unknown !== undefined) findings.push(refuseUnknown(`${name}.${unknown}`, unknown));
    for (const part of ["ceiling", "assignment"] as const) {
      const bounds = delegated[part];
      const found = bounds && findOutside(bounds, tool, reaches);
      if (found) findings.push(refuse(`${name}.${part}.${found.member}`, found));
    }
    const denied = delegated.deny && findDenied(delegated.deny, tool, reaches);
    if (denied) findings.push(refuse(`${name}.deny.${denied.member}`, denied));
  }
  return findings;
}

/** What is out of bounds, and which member of the bounds says so. */
interface Found {
  readonly member: keyof Bounds;
  readonly subject: string;
}

function refuse(rule: string, { member, subject }: Found): Finding {
  return {
    effect: "deny",
    layer: member === "commands" ? "command" : member === "tools" ? "tool" : "resource",
    rule: `delegated.${rule}`,
    reason: `${JSON.stringify(subject)} is outside of what this sub-agent may reach.`,
    subject,
    remedy: "Leave it to the agent that started this one, or give the sub-agent wider bounds.",
  };
}

function refuseUnknown(rule: string, subject: string): Finding {
  return {
    effect: "deny",
    layer: "tool",
    rule: `delegated.${rule}`,
    reason: `The bounds of this sub-agent have a member ${JSON.stringify(subject)}, which this version of Toolwright does not know.`,
    subject,
    remedy: "Start the sub-agent again; it then gets its bounds from this version.",
  };
}

const isNamed = (handles: readonly string[], { name, group }: ToolFacts) => handles.includes(name) || handles.includes(`group:${group}`);

function findOutside(bounds: Bounds, tool: ToolFacts, reaches: readonly Reach[]): Found | undefined {
  if (bounds.tools && !isNamed(bounds.tools, tool)) return { member: "tools", subject: tool.name };
  const secret = bounds.secrets && secretsOf(tool, reaches).find((name) => !bounds.secrets?.includes(name));
  if (secret !== undefined) return { member: "secrets", subject: secret };
  return firstFound(reaches, (reach) => findReachOutside(bounds, reach));
}

function secretsOf({ effects }: ToolFacts, reaches: readonly Reach[]): readonly string[] {
  return [...(effects.secrets ?? []), ...credentialsOf(reaches)];
}

function findReachOutside(bounds: Bounds, reach: Reach): Found | undefined {
  switch (reach.kind) {
    case "path":
      return !bounds.paths || bounds.paths.some((path) => isPathWithin(reach, { kind: "path", ...path }))
        ? undefined
        : { member: "paths", subject: reach.path };
    case "request":
      return !bounds.hosts || judgeUrl(reach.url, { allow: bounds.hosts, deny: [] }).ok
        ? undefined
        : { member: "hosts", subject: reach.url };
    case "command": {
      const patterns = bounds.commands ?? (bounds.paths || bounds.hosts ? [] : undefined);
      const allowances = patterns?.map((pattern) => ({ allows: { kind: "command", pattern } as const, by: pattern }));
      const outside = allowances && coverReach(reach, allowances).find(({ covered, aside }) => !covered && aside !== true);
      if (outside) return { member: "commands", subject: outside.subject };
      const beyond =
        bounds.hosts &&
        findDestination(reach.command, (target) => !target || judgeTarget(target, { allow: bounds.hosts ?? [], deny: [] }) !== undefined);
      return beyond === undefined ? undefined : { member: "hosts", subject: beyond };
    }
  }
}

function findDenied(bounds: Bounds, tool: ToolFacts, reaches: readonly Reach[]): Found | undefined {
  if (bounds.tools && isNamed(bounds.tools, tool)) return { member: "tools", subject: tool.name };
  const secret = secretsOf(tool, reaches).find((name) => bounds.secrets?.includes(name));
  if (secret !== undefined) return { member: "secrets", subject: secret };
  return firstFound(reaches, (reach) => findReachDenied(bounds, reach));
}

function findReachDenied(bounds: Bounds, reach: Reach): Found | undefined {
  switch (reach.kind) {
    case "path":
      return bounds.paths?.some((path) => isMaybeWithin(reach, path)) ? { member: "paths", subject: reach.path } : undefined;
    case "request":
      return bounds.hosts && isHostDenied(bounds.hosts, reach.url) ? { member: "hosts", subject: reach.url } : undefined;
    case "command": {
      if (bounds.commands && isCommandDenied(bounds.commands, reach)) return { member: "commands", subject: reach.command };
      const denied = bounds.hosts && findDestination(reach.command, (target) => !target || isTargetDenied(bounds.hosts ?? [], target));
      return denied === undefined ? undefined : { member: "hosts", subject: denied };
    }
  }
}

/** A path that cannot be read plainly may be any. */
function isMaybeWithin(reach: Extract<Reach, { kind: "path" }>, path: NonNullable<Bounds["paths"]>[number]): boolean {
  return reach.access === path.access && (readPlainPath(reach.path) === undefined || isPathWithin(reach, { kind: "path", ...path }));
}

/** A URL or rule that cannot be read may be any. */
function isHostDenied(hosts: readonly string[], text: string): boolean {
  const url = URL.parse(text);
  const host = url ? normalizeHost(url.hostname) : undefined;
  if (!url || host === undefined) return true;
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  return hosts.map(parseHostRule).some((rule) => rule === undefined || deniesTarget(rule, { host, port }));
}

/** What is not understood may hold any command. */
function isCommandDenied(patterns: readonly string[], reach: CommandReach): boolean {
  const analysis = analyseLine(reach.command, reach);
  if (!analysis.ok) return true;
  const { deny } = indexRules(patterns.flatMap((pattern) => compileRule(pattern, "deny", pattern) ?? []));
  return analysis.commands.some(({ levels }) => levels.some((argv) => findRestricting(deny, argv) !== undefined));
}

/** The first command of a line with a destination of the kind; one that cannot be named is `undefined`, and may be any. */
function findDestination(line: string, isMeant: (target: Target | undefined) => boolean): string | undefined {
  const analysis = analyseLine(line);
  if (!analysis.ok) return line;
  const found = findLineDestinations(analysis.commands).find(({ reached }) =>
    reached.destinations.some((each) => isMeant(each.named ? each : undefined)),
  );
  return found?.command.source;
}

/** Denied by a rule for the host; what has no port is reached on any. */
function isTargetDenied(hosts: readonly string[], { host, port }: Target): boolean {
  return hosts
    .map(parseHostRule)
    .some((rule) => rule === undefined || (port === undefined ? coversHost(rule, host) : deniesTarget(rule, { host, port })));
}

function firstFound(reaches: readonly Reach[], find: (reach: Reach) => Found | undefined): Found | undefined {
  for (const reach of reaches) {
    const found = find(reach);
    if (found) return found;
  }
  return undefined;
}
