/** A host rule of a policy or of an effect, e.g. `docs.python.org`, `*.example.org:8443`, `[2606:4700::1111]`, `*`. */
export interface HostRule {
  /** Lower case, punycode, no trailing dot; the part behind `*.` of a wildcard; `*` for every host. */
  readonly host: string;
  /** `*.example.org` covers every name below example.org, at any depth, and not example.org itself. */
  readonly wildcard: boolean;
  readonly port: number | undefined;
}

/** What a rule is compared with: the host of a judged URL. */
export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

const shape = /^(?<wildcard>\*\.)?(?<host>\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\%[\]*]+|\*)(?::(?<port>\d{1,5}))?$/u;
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Lower case, punycode, IPv6 without brackets, no trailing dot; undefined when it is neither a DNS name nor an address. */
export function normalizeHost(text: string): string | undefined {
  const parsed = URL.parse(`http://${text}/`);
  if (parsed?.port !== "" || parsed.username !== "" || parsed.pathname !== "/") return undefined;
  const host = parsed.hostname;
  if (host.startsWith("[")) return host.slice(1, -1);
  const name = host.endsWith(".") ? host.slice(0, -1) : host;
  return name.length <= 253 && name.split(".").every((part) => label.test(part)) ? name : undefined;
}

/** Undefined when the text is not a host rule; a policy that holds one must be refused. */
export function parseHostRule(text: string): HostRule | undefined {
  const parts = shape.exec(text)?.groups;
  if (!parts?.host) return undefined;
  const host = parts.host === "*" ? "*" : normalizeHost(parts.host);
  const port = parts.port === undefined ? undefined : Number(parts.port);
  const wildcard = parts.wildcard !== undefined;
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  if (wildcard && !isName(host)) return undefined;
  return { host, wildcard, port };
}

/** True when the rule speaks of this host, whatever the port. */
export function coversHost(rule: HostRule, host: string): boolean {
  if (rule.host === "*") return true;
  return rule.wildcard ? host.endsWith(`.${rule.host}`) && isName(host) : host === rule.host;
}

const webPorts: readonly number[] = [80, 443];

/** An allowing rule without a port opens 80 and 443. */
export function allowsTarget(rule: HostRule, target: HostAndPort): boolean {
  return coversHost(rule, target.host) && (rule.port === undefined ? webPorts.includes(target.port) : rule.port === target.port);
}

/** A denying rule without a port closes every port. */
export function deniesTarget(rule: HostRule, target: HostAndPort): boolean {
  return coversHost(rule, target.host) && (rule.port === undefined || rule.port === target.port);
}

/** WHATWG URL: a host whose last label is a number is an IPv4 address. */
function isName(host: string): boolean {
  return host !== "*" && !host.includes(":") && !/(?:^|\.)\d+$/.test(host);
}
