import {
  type Autonomy,
  type Destination,
  findLineDestinations,
  type InnerCommand,
  type LineAnalysis,
  type NamedFile,
} from "@toolwright/commands";
import { findInnermost, judgePathText, judgeTarget, judgeUrl, protectionOf, showTarget } from "@toolwright/commands/targets";
import type { Containment, Finding, Reach } from "../contract/decision.ts";
import { asSentence } from "../contract/visible-text.ts";
import type { NetworkRules, PathRoot, SandboxRules } from "../ports/policy-rules.ts";
import { requestText } from "./request-text.ts";

/** Facts of the driver that `sandbox.mode` of the policy names. */
export interface MachineFacts {
  readonly sandbox: {
    readonly available: boolean;
    readonly detail: string;
    /** What it holds back from a command. Default: all. */
    readonly contains?: readonly Containment[];
  };
  /** True for a call that another program runs: nothing of ours opens its paths or starts its commands. */
  readonly elsewhere?: boolean;
}

const layer = "resource";

interface PathSettings {
  readonly autonomy: Autonomy;
  readonly forbidden: ReadonlyMap<string, string>;
  readonly roots: readonly PathRoot[];
}

/** Judges a path by its text; where an absolute one really lies is judged where it is opened. */
export function judgePath(reach: Extract<Reach, { kind: "path" }>, { autonomy, forbidden, roots }: PathSettings): Finding {
  const base = { layer, subject: reach.path } as const;
  const judged = judgePathText(reach.path, reach.access);
  if (!judged.ok)
    return { ...base, effect: "deny", rule: "default.paths", reason: judged.reason, remedy: "Name a path inside the workspace." };
  const rule = findPrefix(judged.path, forbidden);
  if (rule)
    return {
      ...base,
      effect: "deny",
      rule,
      reason: "The policy forbids the path.",
      risk: "high",
      remedy: "Remove it from paths.forbidden.",
    };
  if (autonomy === "read_only" && reach.access !== "read") {
    return {
      ...base,
      effect: "deny",
      rule: "autonomy",
      reason: "Nothing may be changed while autonomy is read_only.",
      remedy: "Set autonomy to supervised.",
    };
  }
  const root = judged.path.split("/").includes("..") ? undefined : findInnermost(judged.path, roots);
  if (root?.access === "read" && reach.access !== "read") {
    return {
      ...base,
      effect: "deny",
      rule: "paths.roots",
      reason: `The policy opens ${JSON.stringify(root.path)} for reading only.`,
      remedy: "Name a path inside the workspace, or give the folder access: write in paths.roots.",
    };
  }
  switch (protectionOf(judged.path, reach.access)) {
    case "never":
      return {
        ...base,
        effect: "deny",
        rule: "default.paths.protected",
        reason: `${JSON.stringify(judged.path)} is protected.`,
        remedy: "Change it yourself, outside of any tool.",
      };
    case "ask":
      return {
        ...base,
        effect: autonomy === "read_only" ? "deny" : "ask",
        rule: "default.paths.credentials",
        risk: "medium",
        reason:
          reach.access === "read"
            ? `${JSON.stringify(judged.path)} may hold credentials.`
            : `${JSON.stringify(judged.path)} may hold credentials, or a tool may obey it once somebody opens the folder.`,
        remedy: `Approve this call${judged.path.startsWith("/") ? ", or name a path inside the workspace relative to it" : ""}.`,
      };
    default:
      if (reach.access === "delete" && autonomy === "supervised") return askToDelete(base);
      return { ...base, effect: "allow", ...(root ? openedBy(root) : unrestricted) };
  }
}

const held: readonly Containment[] = ["credentials", "links"];
const unrestricted = {
  rule: "default.paths",
  reason: "Nothing restricts the path, as long as it is inside the workspace.",
  reliesOn: held,
};

const openedBy = ({ path, access }: PathRoot) => ({
  rule: "paths.roots",
  reason: `The policy opens ${JSON.stringify(path)} ${access === "read" ? "for reading" : "for reading and writing"}.`,
  reliesOn: held,
});

const askToDelete = (base: Pick<Finding, "subject"> & { readonly layer: typeof layer }): Finding => ({
  ...base,
  effect: "ask",
  rule: "default.supervised.destructive",
  risk: "medium",
  reason: "What is deleted cannot be brought back.",
  remedy: "Approve this call, or set autonomy to full.",
});

export const readingMethods: ReadonlySet<string> = new Set(["GET", "HEAD"]);

export function judgeRequest(
  reach: Extract<Reach, { kind: "request" }>,
  rules: NetworkRules,
  place: { readonly autonomy: Autonomy; readonly where: string },
): Finding {
  const base = { layer, subject: requestText(reach) } as const;
  const along = reach.credential === undefined ? "" : ` The secret ${JSON.stringify(reach.credential)} is sent along.`;
  const judged = judgeUrl(reach.url, rules);
  if (!judged.ok)
    return {
      ...base,
      effect: "deny",
      rule: `${place.where}`,
      reason: judged.reason,
      remedy: "Use another URL, or open the host in network.allow.",
    };
  if (readingMethods.has(reach.method.toUpperCase())) {
    return { ...base, effect: "allow", rule: place.where, reason: `${judged.host} may be reached.${along}`, risk: "low" };
  }
  switch (place.autonomy) {
    case "read_only":
      return {
        ...base,
        effect: "deny",
        rule: "autonomy",
        reason: `${reach.method} may change something elsewhere, and autonomy is read_only.`,
        remedy: "Set autonomy to supervised.",
      };
    case "supervised":
      return {
        ...base,
        effect: "ask",
        rule: "default.supervised.changes_elsewhere",
        risk: "medium",
        reason: `${reach.method} may change something at ${judged.host}.${along}`,
        remedy: "Approve this call, or set autonomy to full.",
      };
    case "full":
      return {
        ...base,
        effect: "allow",
        rule: "default.full",
        reason: `${judged.host} may be reached, with any method.${along}`,
        risk: "medium",
      };
  }
}

/** What the sandbox of this machine means for a call that runs processes. */
export function judgeSandbox(rules: SandboxRules, facts: MachineFacts, where: string): readonly Finding[] {
  const { available, detail } = facts.sandbox;
  if (!available) {
    const effect = rules.unavailable === "ask" ? "ask" : "deny";
    const reason = asSentence(`The sandbox ${JSON.stringify(rules.mode)} cannot be had on this machine: ${detail}`);
    return [
      {
        effect,
        layer,
        rule: `${where}.unavailable`,
        risk: "high",
        reason,
        remedy: "Run toolwright doctor for what is missing, or set sandbox.mode to one that is there.",
      },
    ];
  }
  if (rules.mode !== "host") return [];
  const reason = "Processes run on the host without isolation: they reach everything that the server's user reaches.";
  return [{ effect: "allow", layer, rule: `${where}.mode`, risk: "high", reason, remedy: "Set sandbox.mode to auto." }];
}

/** Words of a command that name a forbidden path; whatever program they are given to. */
export function findForbiddenPath(analysis: LineAnalysis, forbidden: ReadonlyMap<string, string>): Finding | undefined {
  if (!analysis.ok || forbidden.size === 0) return undefined;
  for (const command of analysis.commands) {
    const targets = command.redirects.flatMap((redirect) => ("target" in redirect ? [redirect.target.text] : []));
    for (const text of [...command.argv.map((word) => word.text), ...targets]) {
      const rule = findPrefix(text, forbidden);
      if (rule)
        return {
          effect: "deny",
          layer,
          rule,
          reason: `The command names the forbidden path ${JSON.stringify(text)}.`,
          subject: command.source,
          risk: "high",
          remedy: "Leave the path out, or remove it from paths.forbidden.",
        };
    }
  }
  return undefined;
}

function findPrefix(text: string, forbidden: ReadonlyMap<string, string>): string | undefined {
  const path = /(?:^|[=:@])([/~].*)$/s.exec(text)?.[1];
  if (path === undefined) return undefined;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && (part !== "" || parts.length === 0)) parts.push(part);
  }
  const deepest = Math.max(...[...forbidden.keys()].map((prefix) => prefix.split("/").length));
  for (let length = Math.min(parts.length, deepest); length > 0; length--) {
    const rule = forbidden.get(parts.slice(0, length).join("/") || "/");
    if (rule) return rule;
  }
  return undefined;
}

interface NetworkSettings {
  readonly network: NetworkRules;
  readonly sandbox: Pick<SandboxRules, "network">;
}

/** What the network rules say of the destinations of a line, and the path rules of the files that its network options name. */
export function judgeDestinations(
  analysis: LineAnalysis,
  settings: NetworkSettings & PathSettings,
  workdir: string | null | undefined,
): readonly Finding[] {
  if (!analysis.ok) return [];
  return findLineDestinations(analysis.commands).flatMap(({ command, reached: { destinations, files } }) => {
    return [
      ...destinations.map((destination) => judgeDestination(destination, command, settings)),
      ...files.flatMap(({ path, access }) => judgeFile(placeBelow(workdir, path), access, { command, settings })),
    ];
  });
}

/** A path that is not plain asks: the tool for files takes none such, and where the program finds it is not certain. */
function judgeFile(
  path: string,
  access: NamedFile["access"],
  { command, settings }: { readonly command: InnerCommand; readonly settings: PathSettings },
): readonly Finding[] {
  const finding = judgePath({ kind: "path", path, access }, settings);
  if (finding.effect === "allow") return [];
  const asks = finding.effect === "ask" || (finding.rule === "default.paths" && settings.autonomy !== "read_only");
  return [
    {
      ...finding,
      subject: command.source,
      ...(asks && { effect: "ask", grantable: false, remedy: "Approve this call, or name a path inside the workspace." }),
    },
  ];
}

function placeBelow(workdir: string | null | undefined, path: string): string {
  return !workdir || /^[/~]/.test(path) ? path : `${workdir.replace(/(?<!\/)\/+$/, "")}/${path}`;
}

const onNetwork: readonly Containment[] = ["network"];
const noWay = "It would not get out anyway: the sandbox has no network.";

function judgeDestination(destination: Destination, command: InnerCommand, settings: NetworkSettings): Finding {
  return destination.named ? judgeNamed(destination, command, settings) : judgeUnnamed(destination.why, command, settings);
}

function judgeNamed(
  destination: Extract<Destination, { named: true }>,
  { source }: InnerCommand,
  { network, sandbox }: NetworkSettings,
): Finding {
  const base = { layer: "resource", subject: source } as const;
  const shown = showTarget(destination);
  const closed = sandbox.network === "none";
  const also = closed ? ` ${noWay}` : "";
  const refusal = judgeTarget(destination, network);
  if (!refusal) return { ...base, effect: "allow", rule: "network", reason: `The network rules open ${shown}.${also}`, risk: "low" };
  const reason = `It reaches ${shown}: ${refusal.problem}.${also}`;
  if (refusal.by !== "ports") {
    const remedy =
      refusal.by === "deny" ? "Use another destination, or remove that rule." : `Add ${JSON.stringify(shown)} to network.allow.`;
    return { ...base, effect: "deny", rule: `network.${refusal.by}`, reason, risk: "medium", remedy };
  }
  const effect = ({ none: "allow", filtered: "deny", host: "ask" } as const)[sandbox.network];
  return {
    ...base,
    effect,
    ...(effect === "ask" && { grantable: false }),
    ...(effect === "allow" && { reliesOn: onNetwork }),
    rule: "default.network.ports",
    reason,
    risk: "medium",
    remedy: `Add ${JSON.stringify(shown)} to network.allow, with every other host that shall be reached.`,
  };
}

/**
 * The command layer's finding, as a grant for this very command may stand for the person who is asked. Without a rule on hosts there is
 * none that it could break; without a network nobody need be asked twice.
 */
function judgeUnnamed(why: string, { source }: InnerCommand, { network, sandbox }: NetworkSettings): Finding {
  const base = { layer: "command", subject: source, rule: "default.network.unnamed" } as const;
  const reason = `Where it reaches cannot be told from its words: ${why}.`;
  if (sandbox.network === "none") return { ...base, effect: "allow", reason: `${reason} ${noWay}`, reliesOn: onNetwork };
  if (!network.allow && network.deny.length === 0)
    return { ...base, effect: "allow", reason: `${reason} No network rule restricts hosts.` };
  return {
    ...base,
    effect: "ask",
    risk: "medium",
    reason: `${reason} So it cannot be compared with the network rules.`,
    remedy: "Write the destination out, without what sends it elsewhere, or approve this call.",
  };
}
