import type { NetworkRules } from "../ports/policy-rules.ts";
import { allowsTarget, deniesTarget, type HostAndPort, normalizeHost, parseHostRule } from "./host-rule.ts";

/** A URL that may be reached as far as its text goes; its addresses are judged where the socket is opened. */
export interface JudgedUrl extends HostAndPort {
  readonly ok: true;
  readonly url: URL;
  /** Lower case, punycode, no trailing dot, IPv6 without brackets. */
  readonly host: string;
}
export interface RefusedUrl {
  readonly ok: false;
  /** A sentence for people and models. */
  readonly reason: string;
}

const maxLength = 8_192;
/** Controls, format characters (bidi, zero width), lone surrogates, private use, blanks. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}]/u;
const shape = /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<authority>[^/?#]+)/i;

/**
 * Judges a URL by its text: what is written, scheme, user info, port and host rules (`deny` wins over `allow`).
 * The raw text is refused before it is parsed when a parser would drop or rewrite part of it.
 */
export function judgeUrl(raw: string, rules: Pick<NetworkRules, "allow" | "deny">): JudgedUrl | RefusedUrl {
  const problem = findTextProblem(raw);
  if (problem) return refuse(problem);
  const url = URL.parse(raw);
  const host = url ? normalizeHost(url.hostname) : undefined;
  if (!url || host === undefined) return refuse("it is not a well-formed URL with a DNS name or an address as host");
  if (url.hostname.endsWith(".")) url.hostname = host;
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const refusal = judgeTarget({ host, port }, rules);
  return refusal ? refuse(refusal) : { ok: true, url, host, port };
}

/** Judges the target of a redirect: the location is resolved against the URL that sent it, then judged like any other. */
export function judgeRedirect(location: string, from: URL, rules: Pick<NetworkRules, "allow" | "deny">): JudgedUrl | RefusedUrl {
  if (hidden.test(location)) return refuse("the redirect holds blanks, control or invisible characters");
  if (location.includes("\\")) return refuse("the redirect holds a backslash");
  const resolved = URL.parse(location, from.href);
  if (!resolved) return refuse("the redirect is not a well-formed URL");
  if (from.protocol === "https:" && resolved.protocol === "http:") return refuse("a redirect from https to http is not followed");
  return judgeUrl(resolved.href, rules);
}

function findTextProblem(raw: string): string | undefined {
  if (raw.length > maxLength) return `it is longer than ${maxLength} characters`;
  if (hidden.test(raw)) return "it holds blanks, control or invisible characters; percent-encode them";
  if (raw.includes("\\")) return "it holds a backslash";
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(raw)?.[1]?.toLowerCase();
  if (scheme === undefined) return "it has no scheme; write https://...";
  if (scheme !== "http" && scheme !== "https") return `the scheme "${scheme}" is not http or https`;
  const authority = shape.exec(raw)?.groups?.authority;
  if (!authority) return "it has no host after the two slashes";
  if (authority.includes("@")) return "it holds a user name or password; remove it";
  if (authority.includes("%")) return "its host holds percent-encoded characters";
  return undefined;
}

function judgeTarget(target: HostAndPort, rules: Pick<NetworkRules, "allow" | "deny">): string | undefined {
  const shown = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  for (const text of rules.deny) {
    const rule = parseHostRule(text);
    if (!rule) return `the policy holds ${JSON.stringify(text)} in network.deny, which is not a host rule; correct it`;
    if (deniesTarget(rule, target)) return `${shown} is denied by the rule ${JSON.stringify(text)}`;
  }
  const allow = (rules.allow ?? ["*"]).map(parseHostRule);
  if (allow.some((rule) => rule && allowsTarget(rule, target))) return undefined;
  if (!rules.allow) return `port ${target.port} is not 80 or 443, and no rule of network.allow opens ${shown}`;
  return `no rule of network.allow opens ${shown}`;
}

function refuse(problem: string): RefusedUrl {
  return { ok: false, reason: `The URL is refused: ${problem}.` };
}
