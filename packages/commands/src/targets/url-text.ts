import { type HostAndPort, normalizeHost } from "./host-rule.ts";
import { type HostRules, judgeTarget } from "./judge-target.ts";

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
const scheme = /^([a-z][a-z0-9+.-]*):/i;
const shape = /^[^:]+:\/\/(?<authority>[^/?#]+)/;

/**
 * Judges a URL by its text: what is written, scheme, user info, port and host rules (`deny` wins over `allow`).
 * The raw text is refused before it is parsed when a parser would drop or rewrite part of it.
 */
export function judgeUrl(raw: string, rules: HostRules): JudgedUrl | RefusedUrl {
  const problem = findTextProblem(raw);
  if (problem) return refuse(problem);
  const url = URL.parse(raw);
  const host = url ? normalizeHost(url.hostname) : undefined;
  if (!url || host === undefined) return refuse("it is not a well-formed URL with a DNS name or an address as host");
  if (url.hostname.endsWith(".")) url.hostname = host;
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const refusal = judgeTarget({ host, port }, rules);
  return refusal ? refuse(refusal.problem) : { ok: true, url, host, port };
}

/** Judges the target of a redirect: the location is resolved against the URL that sent it, then judged like any other. */
export function judgeRedirect(location: string, from: URL, rules: HostRules): JudgedUrl | RefusedUrl {
  if (hidden.test(location)) return refuse("the redirect holds blanks, control or invisible characters");
  if (location.includes("\\")) return refuse("the redirect holds a backslash");
  const raw = location.startsWith("//") ? `${from.protocol}${location}` : location;
  const resolved = URL.parse(raw, from.href);
  if (!resolved) return refuse("the redirect is not a well-formed URL");
  if (from.protocol === "https:" && resolved.protocol === "http:") return refuse("a redirect from https to http is not followed");
  // A location with a scheme is judged as it is written: parsing drops the "@" of an empty user name, and the extra slashes.
  return judgeUrl(scheme.test(raw) ? raw : resolved.href, rules);
}

function findTextProblem(raw: string): string | undefined {
  if (typeof raw !== "string") return "it is not a string";
  if (raw.length > maxLength) return `it is longer than ${maxLength} characters`;
  if (hidden.test(raw)) return "it holds blanks, control or invisible characters; percent-encode them";
  if (raw.includes("\\")) return "it holds a backslash";
  const name = scheme.exec(raw)?.[1]?.toLowerCase();
  if (name === undefined) return "it has no scheme; write https://...";
  if (name !== "http" && name !== "https") return `the scheme "${name}" is not http or https`;
  const authority = shape.exec(raw)?.groups?.authority;
  if (!authority) return "it has no host after the two slashes";
  if (authority.includes("@")) return "it holds a user name or password; remove it";
  if (authority.includes("%")) return "its host holds percent-encoded characters";
  return undefined;
}

function refuse(problem: string): RefusedUrl {
  return { ok: false, reason: `The URL is refused: ${problem}.` };
}

/** True for a text with a user before a host, which reads like another host. */
export function hidesHost(text: string): boolean {
  const at = text.indexOf("//");
  return at !== -1 && text.includes("@", at);
}
