import { isBelow } from "@toolwright/commands/targets";
import { strictestRule } from "../after-foreign.ts";
import { type CompiledTiers, compileTiers } from "../compile-tiers.ts";
import type { PolicyDocument } from "../document/policy-document.ts";
import { isWithin } from "../merge-rules.ts";
import { companionsOf, documentOf, type LintFinding, type LintSubject } from "./lint-finding.ts";

/** What a lower tier says in vain: it asks for more than a higher one leaves it. */
export function lintTiers(subject: LintSubject): readonly LintFinding[] {
  const tiers = companionsOf(subject);
  const { document } = documentOf(subject);
  if (tiers[0] === documentOf(subject)) return [];
  const effective = compileTiers(tiers);
  return [
    ...lintAutonomy(document, effective),
    ...lintApprovals(document, effective),
    ...lintAfterForeign(subject),
    ...lintSandbox(document, effective),
    ...lintRoots(document, effective),
    ...lintHosts(document, effective),
    ...lintModes(subject),
  ].map(({ path, message }) => ({ level: "warning" as const, document: subject.index, path, message }));
}

type Vain = Pick<LintFinding, "path" | "message">;

const inVain = (path: Vain["path"], said: unknown, holds: unknown): Vain => ({
  path,
  message: `${JSON.stringify(said)} has no effect: a higher tier is stricter, and ${JSON.stringify(holds)} holds.`,
});

function lintAutonomy({ autonomy }: PolicyDocument, effective: CompiledTiers): Vain[] {
  return autonomy !== undefined && autonomy !== effective.autonomy ? [inVain(["autonomy"], autonomy, effective.autonomy)] : [];
}

function lintApprovals({ approvals }: PolicyDocument, effective: CompiledTiers): Vain[] {
  const forbidden = effective.approvals.some(({ grants }) => !grants);
  return approvals?.grants && forbidden ? [inVain(["approvals", "grants"], true, false)] : [];
}

/** A tool that a higher tier needs more of. */
function lintAfterForeign(subject: LintSubject): Vain[] {
  const { document } = documentOf(subject);
  const above = compileTiers(companionsOf(subject).slice(0, companionsOf(subject).indexOf(documentOf(subject)))).afterForeign;
  const needed = (handle: string) => strictestRule(above.map((tier) => tier.get(handle) ?? tier.get("outside")))?.need ?? "none";
  return Object.entries(document.after_foreign ?? {})
    .map(([handle, said]) => ({ handle, said, holds: needed(handle) }))
    .filter(({ said, holds }) => needs.indexOf(said) < needs.indexOf(holds))
    .map(({ handle, said, holds }) => inVain(["after_foreign", handle], said, holds));
}

const needs = ["none", "granted", "ask"];

function lintSandbox({ sandbox = {} }: PolicyDocument, { sandbox: rules }: CompiledTiers): Vain[] {
  const limits = { ...rules.tighterLimits, ...rules.limits };
  const holds: Readonly<Record<keyof typeof sandbox, unknown>> = {
    mode: rules.mode,
    network: rules.network,
    unavailable: rules.unavailable,
    git: rules.git,
    max_memory_mb: limits.memoryMb,
    max_cpu_percent: limits.cpuPercent,
    max_processes: limits.processes,
    max_file_size_mb: limits.fileSizeMb,
    max_open_files: limits.openFiles,
    max_written_mb: limits.writtenMb,
    timeout_seconds: rules.timeoutMs / 1_000,
    max_output_kb: rules.maxOutputBytes / 1_000,
  };
  return Object.entries(sandbox).flatMap(([name, said]) => {
    const held = holds[name as keyof typeof sandbox];
    return said === undefined || said === held ? [] : [inVain(["sandbox", name], said, held)];
  });
}

function lintRoots({ paths = {} }: PolicyDocument, { roots: opened }: CompiledTiers): Vain[] {
  return (paths.roots ?? []).flatMap(({ path, access }, index) => {
    const held = opened.filter((root) => isBelow(root.path, path));
    if (held.length === 0)
      return [{ path: ["paths", "roots", index], message: `${JSON.stringify(path)} opens nothing: a higher tier does not open it.` }];
    return held.some((root) => root.access === access) ? [] : [inVain(["paths", "roots", index, "access"], access, held[0]?.access)];
  });
}

function lintHosts({ network = {} }: PolicyDocument, { network: rules }: CompiledTiers): Vain[] {
  const opened = rules.allow ?? [];
  const hosts = (network.allow ?? []).flatMap((host, index) =>
    opened.some((each) => isWithin(each, host)) ? [] : [{ host, path: ["network", "allow", index] }],
  );
  const ranges = (network.allow_ranges ?? []).flatMap((host, index) =>
    rules.allowRanges.includes(host) ? [] : [{ host, path: ["network", "allow_ranges", index] }],
  );
  return [...hosts, ...ranges].map(({ host, path }) => ({
    path,
    message: `${JSON.stringify(host)} opens nothing: a higher tier does not open it.`,
  }));
}

const looseness = { deny: 0, allowlist: 1, full: 2 } as const;

function lintModes(subject: LintSubject): Vain[] {
  const own = documentOf(subject).document.commands;
  const above = companionsOf(subject).slice(0, companionsOf(subject).indexOf(documentOf(subject)));
  const others = above.flatMap(({ document }) => document.commands ?? []);
  if (!own || others.length === 0) return [];
  const strictest = others.reduce((strict, next) => (looseness[next.mode] < looseness[strict.mode] ? next : strict)).mode;
  const flags = (["block_high_risk", "approve_medium_risk"] as const).filter((flag) => !own[flag] && others.some((other) => other[flag]));
  return [
    ...(looseness[own.mode] > looseness[strictest] ? [inVain(["commands", "mode"], own.mode, strictest)] : []),
    ...flags.map((flag) => inVain(["commands", flag], false, true)),
  ];
}
