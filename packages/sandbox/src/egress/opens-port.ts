import { isIP } from "node:net";
import { judgeUrl, parseHostRule } from "@toolwright/commands/targets";
import type { NetworkRules } from "@toolwright/engine/ports";
import { isReachable, parseRanges } from "../http/address.ts";

/** Where a server can be reached from its own machine. */
export interface OwnAddresses {
  readonly port: number;
  /** At which it listens, in every form that leads there. */
  readonly addresses: readonly string[];
  /** Further addresses and names of the machine, which something may pass on to it. */
  readonly others: readonly string[];
}

const webPorts: readonly number[] = [80, 443];
const everyHost = ["*"];

/**
 * The rule of `network.allow` by which a filtered network reaches a port of this machine; undefined when none does. Names are not resolved: a name
 * leads where somebody points it, so a rule that opens the port for a name reaches whichever of the addresses the policy lets sockets open.
 */
export function findRuleOpening(rules: NetworkRules, { port, addresses, others }: OwnAddresses): string | undefined {
  const ranges = parseRanges(rules.allowRanges);
  const isOpen = (address: string) => isReachable(address, ranges);
  const open = [...addresses, ...others].filter((host) => isIP(host) !== 0 && isOpen(host));
  if (open.length === 0) return undefined;
  const named = [...open, ...others.filter((host) => isIP(host) === 0)];
  const leadsHere = addresses.some(isOpen);
  return (rules.allow ?? everyHost).find((text) => {
    const rule = parseHostRule(text);
    if (!rule || !(rule.port === port || (rule.port === undefined && webPorts.includes(port)))) return false;
    const isName = isIP(rule.host) === 0;
    const example = rule.wildcard || rule.host === "*" ? `any-name.${rule.host === "*" ? "example" : rule.host}` : rule.host;
    const hosts = [...named, ...(isName && leadsHere ? [example] : [])];
    return hosts.some(
      (host) => judgeUrl(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}/`, { allow: [text], deny: rules.deny }).ok,
    );
  });
}
