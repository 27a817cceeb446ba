import { normalizeHost } from "../targets/host-rule.ts";
import type { Target } from "../targets/judge-target.ts";
import type { Word } from "../words/decode-word.ts";

/** Where a command reaches: a host that its words name, or why it cannot be told from them. */
export type Destination =
  | ({ readonly named: true; readonly scheme: string } & Target)
  | {
      readonly named: false;
      /** What speaks against it, as the end of a sentence. */
      readonly why: string;
    };

/** A file that an option of the command reads or writes. */
export interface NamedFile {
  readonly path: string;
  readonly access: "read" | "write";
}

/** What the words of one command reach beyond the machine, and the files that it brings there or fetches. */
export interface Reached {
  readonly destinations: readonly Destination[];
  readonly files: readonly NamedFile[];
}

/** Default ports by scheme: RFC 3986 names none, these are those of IANA. */
const ports: ReadonlyMap<string, number> = new Map(
  Object.entries({
    http: 80,
    https: 443,
    ws: 80,
    wss: 443,
    ftp: 21,
    ftps: 990,
    ssh: 22,
    sftp: 22,
    scp: 22,
    git: 9418,
    rsync: 873,
    telnet: 23,
    dict: 2628,
    gopher: 70,
    gophers: 70,
    imap: 143,
    imaps: 993,
    pop3: 110,
    pop3s: 995,
    smtp: 25,
    smtps: 465,
    ldap: 389,
    ldaps: 636,
    mqtt: 1883,
    rtsp: 554,
    rtmp: 1935,
    tftp: 69,
    smb: 445,
    smbs: 445,
    dns: 53,
    socks: 1080,
  }),
);

/** One or three slashes are taken for two, as curl does. */
const withScheme = /^([a-z][a-z0-9+.-]*):\/{1,3}([^/?#]*)/i;
const fixedHost = /^[a-z][a-z0-9+.-]*:\/\/[^/?#*[]+\/|^(?=[^:/?#*[]+?\.[^:/?#*[])[^:/?#*[]+(?::\d+)?\//i;
/** Controls, format characters, blanks and a backslash: programs differ in what they make of them. */
const strange = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\\]/u;

export const unnamed = (why: string): Destination => ({ named: false, why });
const quote = (text: string) => JSON.stringify(text);

/** A URL, or a host with the scheme that the program takes without one. Undefined for a file of the machine. */
export function readUrl(word: Word, defaultScheme: string): Destination | undefined {
  if (word.tilde || (word.glob && !fixedHost.test(word.text))) return unnamed(`${quote(word.text)} may expand to other destinations`);
  const { text } = word;
  if (strange.test(text)) return unnamed(`${quote(text)} holds blanks, a backslash, control or invisible characters`);
  const parts = withScheme.exec(text);
  if (parts) {
    const scheme = parts[1]?.toLowerCase() ?? "";
    if (scheme === "file") return undefined;
    return ports.has(scheme) ? readAuthority(parts[2] ?? "", scheme, text) : unnamed(`the scheme ${quote(scheme)} is not reviewed`);
  }
  return readAuthority(text.replace(/^\/\//, "").split(/[/?#]/, 1)[0] ?? "", defaultScheme, text);
}

/** `[user[:password]@]host[:port]`. */
function readAuthority(authority: string, scheme: string, source: string): Destination {
  const pieces = authority.split("@");
  const place = /^(\[[^\]]*\]|[^:]*)(?::(\d{0,5}))?$/.exec(pieces.at(-1) ?? "");
  if (pieces.length > 2 || !place?.[1] || place[1].includes("%")) return unnamed(`${quote(source)} names no host that is certain`);
  return readHost(place[1], { scheme, port: place[2] ? Number(place[2]) : ports.get(scheme), source });
}

interface HostText {
  readonly scheme: string;
  /** Undefined where there is none. */
  readonly port: number | undefined;
  /** The whole word, for the sentence. */
  readonly source: string;
}

export function readHost(text: string, { scheme, port, source }: HostText): Destination {
  const bare = /^[0-9a-f.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text;
  const host = strange.test(bare) ? undefined : normalizeHost(bare);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535)))
    return unnamed(`${quote(source)} names no host that is certain`);
  return { named: true, scheme, host, port };
}

/**
 * `[user@]host:path`, `host::module` or a URL, as scp, rsync and git have it; undefined for a path: nothing with a slash
 * before the first colon is a host.
 */
export function readRemotePath(word: Word, scheme: "ssh" | "rsync"): Destination | undefined {
  const { text } = word;
  if (word.glob && !/^[^:*?[]*[/:]/.test(text)) return unnamed(`${quote(text)} may expand to other destinations`);
  if (text.startsWith("~") && word.tilde) return undefined;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return readUrl({ ...word, glob: false, tilde: false }, "ssh");
  const parts = /^((?:[^/:@]+@)?)(\[[^\]/]*\]|[^/:[\]]+):(:?)/.exec(text);
  if (!parts) return /^[^/]*:/.test(text) ? unnamed(`${quote(text)} names no host that is certain`) : undefined;
  const module = parts[3] === ":";
  if (module && scheme === "ssh") return unnamed(`${quote(text)} is left to a helper program`);
  return readHost(parts[2] ?? "", { scheme: module ? "rsync" : "ssh", port: module ? 873 : 22, source: text });
}

export const withPort = (destination: Destination, port: number): Destination =>
  destination.named ? { ...destination, port } : destination;
