import { coversHost, type HostRule, isBelow, parseHostRule } from "@toolwright/commands/targets";
import type { NetworkAccess } from "../contract/posture.ts";
import type { NetworkRules, PathRoot, ResourceLimits, SandboxRules } from "../ports/policy-rules.ts";
import type { PolicyDocument } from "./document/policy-document.ts";

type Documents = readonly PolicyDocument[];

/** Joins the network members of all tiers, highest first: a host must be allowed by each tier that names hosts. */
export function mergeNetwork(documents: Documents): NetworkRules {
  const members = documents.flatMap((document) => document.network ?? []);
  const allows = members.flatMap(({ allow }) => (allow ? [allow] : []));
  const ranges = documents.flatMap(({ network }, tier) =>
    tier === 0 ? [network?.allow_ranges ?? []] : network?.allow_ranges ? [network.allow_ranges] : [],
  );
  return {
    ...(allows.length > 0 && { allow: allows.reduce(intersectHosts) }),
    deny: members.flatMap(({ deny }) => deny ?? []),
    allowRanges: ranges.reduce((left, right) => left.filter((range) => right.includes(range)), ranges[0] ?? []),
  };
}

/** Joins the open folders of all tiers, highest first: the highest opens them, and each lower one that names some keeps what both open. */
export function mergeRoots(documents: Documents): readonly PathRoot[] {
  const [top, ...lower] = documents.map((document) => document.paths?.roots);
  return lower.reduce<readonly PathRoot[]>((open, own) => (own ? intersectRoots(open, own) : open), top ?? []);
}

/** The inner one of each two that lie in one another, for writing where both are. */
export function intersectRoots(left: readonly PathRoot[], right: readonly PathRoot[]): readonly PathRoot[] {
  const both = left.flatMap((one) =>
    right.flatMap((other) => {
      const inner = isBelow(one.path, other.path) ? one : isBelow(other.path, one.path) ? other : undefined;
      return inner ? [{ path: inner.path, access: one.access === "write" ? other.access : one.access }] : [];
    }),
  );
  return both.filter(({ path }, index) => both.findIndex((each) => each.path === path) === index);
}

/** The rules of either list that the other list covers whole. */
function intersectHosts(left: readonly string[], right: readonly string[]): string[] {
  const narrower = (rules: readonly string[], others: readonly string[]) =>
    rules.filter((text) => others.some((other) => isWithin(text, other)));
  return [...new Set([...narrower(left, right), ...narrower(right, left)])];
}

export function isWithin(text: string, other: string): boolean {
  const rule = parseHostRule(text);
  const outer = parseHostRule(other);
  return rule !== undefined && outer !== undefined && isHostWithin(rule, outer) && isPortWithin(rule.port, outer.port);
}

function isHostWithin(rule: HostRule, outer: HostRule): boolean {
  if (outer.host === "*" || rule.host === "*") return outer.host === "*";
  if (!rule.wildcard) return coversHost(outer, rule.host);
  return outer.wildcard && (rule.host === outer.host || rule.host.endsWith(`.${outer.host}`));
}

/** A rule without a port means 80 and 443. */
function isPortWithin(port: number | undefined, outer: number | undefined): boolean {
  return port === outer || (outer === undefined && (port === 80 || port === 443));
}

const limitNames = {
  memoryMb: "max_memory_mb",
  cpuPercent: "max_cpu_percent",
  processes: "max_processes",
  fileSizeMb: "max_file_size_mb",
  openFiles: "max_open_files",
  writtenMb: "max_written_mb",
} as const satisfies Record<keyof ResourceLimits, keyof NonNullable<PolicyDocument["sandbox"]>>;

/** The strictest of both. What only one of them names holds beside the default, which is what the other one has. */
export function joinLimits(a: SandboxRules, b: SandboxRules): Pick<SandboxRules, "limits" | "tighterLimits"> {
  const limits: Record<string, number> = {};
  const tighter: Record<string, number> = {};
  for (const name of Object.keys(limitNames) as (keyof ResourceLimits)[]) {
    const named = [a, b].flatMap((rules) => rules.limits[name] ?? []);
    const narrowing = [a, b].flatMap((rules) => rules.tighterLimits?.[name] ?? []);
    if (named.length === 2) limits[name] = Math.min(...named);
    const beside = named.length === 2 ? narrowing : [...named, ...narrowing];
    if (beside.length > 0) tighter[name] = Math.min(...beside);
  }
  return { limits, ...(Object.keys(tighter).length > 0 && { tighterLimits: tighter }) };
}

/** Joins the sandbox members of all tiers, highest first. The highest tier that names a driver decides it; all else is the strictest. */
export function mergeSandbox(documents: Documents): SandboxRules {
  const members = documents.flatMap((document) => document.sandbox ?? []);
  const top = documents[0]?.sandbox;
  const least = (values: readonly (number | undefined)[]) => {
    const given = values.filter((value) => value !== undefined);
    return given.length > 0 ? Math.min(...given) : undefined;
  };
  const collect = (isRaised: boolean) =>
    Object.entries(limitNames).flatMap(([limit, name]) => {
      const value = least(members.map((member) => member[name]));
      return value === undefined || (top?.[name] !== undefined) !== isRaised ? [] : [[limit, value] as const];
    });
  const tighter = collect(false);
  return {
    mode: mergeMode(documents),
    network: strictestNetwork([top?.network ?? "none", ...members.flatMap(({ network }) => network ?? [])]),
    unavailable: top?.unavailable === "ask" && members.every(({ unavailable }) => unavailable !== "refuse") ? "ask" : "refuse",
    git: top?.git === "writable" && members.every(({ git }) => git !== "sealed") ? "writable" : "sealed",
    limits: Object.fromEntries(collect(true)),
    ...(tighter.length > 0 && { tighterLimits: Object.fromEntries(tighter) }),
    timeoutMs: (least(members.map((member) => member.timeout_seconds)) ?? 60) * 1_000,
    maxOutputBytes: (least(members.map((member) => member.max_output_kb)) ?? 1_000) * 1_000,
  };
}

function strictestNetwork(wanted: readonly NetworkAccess[]): NetworkAccess {
  return (["none", "filtered"] as const).find((access) => wanted.includes(access)) ?? "host";
}

/** A lower tier may name an isolating driver where the higher ones leave it open, and never `host`. */
function mergeMode(documents: Documents): string {
  let mode = documents[0]?.sandbox?.mode ?? "auto";
  for (const document of documents.slice(1)) {
    const wanted = document.sandbox?.mode;
    if (wanted !== undefined && wanted !== "host" && (mode === "host" || mode === "auto")) mode = wanted;
  }
  return mode;
}
