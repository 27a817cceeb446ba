import { allowsTarget, coversHost, deniesTarget, type HostRule, parseHostRule } from "./host-rule.ts";

/** A host, and the port where it is known which one is used. */
export interface Target {
  readonly host: string;
  /** Undefined where the host is reached without a port, or only looked up. */
  readonly port: number | undefined;
}

/** Which hosts may be reached. */
export interface HostRules {
  /** Undefined permits every host, on ports 80 and 443. */
  readonly allow?: readonly string[] | undefined;
  readonly deny: readonly string[];
}

export interface TargetRefusal {
  /** A rule of that list, or the lack of one; `ports`: no rule speaks of it, and it is no port of the web. */
  readonly by: "deny" | "allow" | "ports";
  /** What is wrong, as the end of a sentence. */
  readonly problem: string;
}

interface WrittenRule {
  readonly text: string;
  readonly rule: HostRule | undefined;
}

const everyHost = ["*"];
const known = new WeakMap<readonly string[], readonly WrittenRule[]>();

/** A list is read once, and again should it have changed. */
function readRules(texts: readonly string[]): readonly WrittenRule[] {
  let rules = known.get(texts);
  if (rules?.length !== texts.length || !rules.every(({ text }, index) => text === texts[index])) {
    rules = texts.map((text) => ({ text, rule: parseHostRule(text) }));
    known.set(texts, rules);
  }
  return rules;
}

/** Compares a target with the host rules; `deny` wins over `allow`. Undefined when it may be reached. */
export function judgeTarget(target: Target, rules: HostRules): TargetRefusal | undefined {
  const shown = showTarget(target);
  for (const { text, rule } of readRules(rules.deny)) {
    if (!rule)
      return { by: "deny", problem: `the policy holds ${JSON.stringify(text)} in network.deny, which is not a host rule; correct it` };
    if (isDenied(rule, target)) return { by: "deny", problem: `${shown} is denied by the rule ${JSON.stringify(text)}` };
  }
  if (readRules(rules.allow ?? everyHost).some(({ rule }) => rule && isAllowed(rule, target))) return undefined;
  if (!rules.allow) return { by: "ports", problem: `port ${target.port} is not 80 or 443, and no rule of network.allow opens ${shown}` };
  return { by: "allow", problem: `no rule of network.allow opens ${shown}` };
}

export function showTarget({ host, port }: Target): string {
  return `${host.includes(":") ? `[${host}]` : host}${port === undefined ? "" : `:${port}`}`;
}

function isDenied(rule: HostRule, { host, port }: Target): boolean {
  return port === undefined ? rule.port === undefined && coversHost(rule, host) : deniesTarget(rule, { host, port });
}

function isAllowed(rule: HostRule, { host, port }: Target): boolean {
  return port === undefined ? coversHost(rule, host) : allowsTarget(rule, { host, port });
}
