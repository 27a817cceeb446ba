/** Shorter values are ordinary words too often. */
const shortest = 8;
const longest = 4096;
/** Values of one file at most. */
const maxValues = 64;

const assignment = /^(?:export\s+|set\s+)?["']?([\w./@:-]+?)["']?\s*(?:=>|[=:])(?=.)/s;
/** The key may hold a colon, as npm's do. */
const byEquals = /^(?:export\s+|set\s+)?([^\s"'=]+)\s*=\s*([^\s>].*)$/s;
const telling = /pass|pwd|secret|token|key|auth|cred|private|salt|sign|session|cookie|dsn|webhook|connection/i;
const address = /(?=:\/\/)(?<=[a-z][a-z0-9+.-]*):\/\/([^\s/@"']+)@/gi;

/** The values in a credential file that nothing a call puts out should hold; words that stand everywhere are left out. */
export function secretValues(content: string): readonly string[] {
  const values = new Set<string>();
  for (const line of content.split(/\r?\n/)) {
    if (/^\s*(?:#|;|\/\/(?!.*:_))/.test(line)) continue;
    for (const value of valuesOf(line)) if (value.length >= shortest && value.length <= longest && !isCommon(value)) values.add(value);
    if (values.size >= maxValues) break;
  }
  return [...values].slice(0, maxValues);
}

function valuesOf(line: string): readonly string[] {
  const inAddress = [...line.matchAll(address)].flatMap(([, userInfo = ""]) => secretsOfUserInfo(userInfo));
  const [, key = "", written = ""] = byEquals.exec(line.trim()) ?? readAssignment(line.trim().replace(/,$/, "").trimEnd());
  if (key === "") return [...inAddress, ...(/^\s*\S{16,}\s*$/.test(line) ? [line.trim()] : line.split(/\s+/).filter(looksRandom))];
  const value = unquote(written.trimStart());
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return [...inAddress, ...value.split(/[/?&=#]/).filter(looksRandom)];
  if (telling.test(key) && !/\s/.test(value)) return [...inAddress, value];
  return [...inAddress, ...(looksRandom(value) ? [value] : value.split(/[\s"',;]+/).filter(looksRandom))];
}

function readAssignment(text: string): readonly string[] {
  const found = assignment.exec(text);
  return found ? [text, found[1]!, text.slice(found[0].length)] : [];
}

function unquote(text: string): string {
  const [, , quoted] = /^(["'`])(.*)\1\s*(?:#.*)?$/s.exec(text) ?? [];
  return quoted ?? text.replace(/(?<!\s)\s+#.*$/s, "");
}

/** Letters alone are a word; so are numbers, switches, paths, dates and versions. */
function isCommon(value: string): boolean {
  return (
    /^[A-Za-z]+(?:[-_. ][A-Za-z]+)?$/.test(value) ||
    /^[\d.:/TZ+-]+$/.test(value) ||
    /^(?:\.{0,2}|~)\/[\w./-]*$/.test(value) ||
    /^(.)\1*$/.test(value)
  );
}

/** Letters and digits mixed, without the marks of a path or a host. */
function looksRandom(text: string): boolean {
  return (
    text.length >= 12 &&
    text.length <= longest &&
    /[A-Za-z]/.test(text) &&
    /\d/.test(text) &&
    /^[\w+/=.~!@#$%^&*-]+$/.test(text) &&
    !/^(?:[a-z][\w-]*\.)+[a-z]{2,}$/i.test(text) &&
    !/^[\w-]+(?:\/[\w.-]+)+$/.test(text)
  );
}

const placeholders = /^(?:x-oauth-basic|x-access-token|x-token-auth|oauth2|git|token|user|username|password|pass)$/i;

/** The secret parts of `user:password@` of an address, as written and decoded. */
function secretsOfUserInfo(userInfo: string): readonly string[] {
  const at = userInfo.indexOf(":");
  const [user, password] = at < 0 ? [userInfo, ""] : [userInfo.slice(0, at), userInfo.slice(at + 1)];
  const isToken =
    /^(?:gh[a-z]_|github_pat_|glpat-|gl[a-z]{2,4}-|ATBB|ATAT|pat-)/.test(user) ||
    (user.length >= 20 && /\d/.test(user) && /[A-Za-z]/.test(user));
  const tokenBefore = placeholders.test(password) && password !== "";
  const parts = [...(isToken || tokenBefore ? [user] : []), password].filter((part) => part.length >= 4 && !placeholders.test(part));
  return [...new Set(parts.flatMap((part) => [part, decode(part)]))];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The secret parts of all addresses in a text. */
function secretsInAddresses(text: string): readonly string[] {
  return [...text.matchAll(address)].flatMap(([, userInfo = ""]) => secretsOfUserInfo(userInfo));
}

/** Headers that git sends along, as the settings of a build server hold them. */
const header = /^[ \t]*extraheader[ \t]*=(.*)$/gim;

/** The secret parts of a configuration of git: in addresses, and in headers. */
export function secretsInConfiguration(text: string): readonly string[] {
  const words = [...text.matchAll(header)].flatMap(([, value = ""]) =>
    value
      .trim()
      .replaceAll(/^"|"$/g, "")
      .split(/\s+/)
      .filter((word) => word.length >= 12),
  );
  return [...new Set([...secretsInAddresses(text), ...words])];
}
