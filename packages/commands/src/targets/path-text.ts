import { isObeyed } from "./obeyed-name.ts";

/** The path with repeated slashes and `.` parts removed (a trailing slash stays), or a sentence that says why it is refused. */
export type PathText = { readonly ok: true; readonly path: string } | { readonly ok: false; readonly reason: string };

/** Longest path that is accepted, in UTF-8 bytes (Linux PATH_MAX). */
export const maxPathBytes = 4096;
/** Longest part between slashes, in UTF-8 bytes (NAME_MAX of the usual file systems). */
export const maxPartBytes = 255;
/** Most parts of a path. */
export const maxPathParts = 64;

interface TextRule {
  readonly refuses: (text: string) => boolean;
  readonly reason: string;
}

// Controls, formats (bidirectional marks, zero width, tags), what shows as nothing, and what no text holds. Emoji have variation selectors.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2800\p{Noncharacter_Code_Point}[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]]/v;
const everyUnseen = new RegExp(unseen, "gv");
const encoder = new TextEncoder();
/** A UTF-16 unit takes at most three bytes. */
const isLonger = (text: string, bytes: number) => text.length * 3 > bytes && encoder.encode(text).length > bytes;
const relative = "give a plain path relative to the workspace";

const wholeRules: readonly TextRule[] = [
  { refuses: (text) => text.trim() === "", reason: `The path is empty; ${relative}, or "." for its root.` },
  { refuses: (text) => !text.isWellFormed(), reason: "The path holds half of a surrogate pair, which no file name can have; correct it." },
  { refuses: (text) => text.includes("\0"), reason: "The path holds a NUL character; remove it." },
  { refuses: (text) => unseen.test(text), reason: "The path holds control, bidirectional or invisible characters; remove them." },
  { refuses: (text) => isLonger(text, maxPathBytes), reason: `The path is longer than ${maxPathBytes} bytes; shorten it.` },
  { refuses: (text) => text.includes("\\"), reason: `The path holds a backslash; separate parts with "/".` },
  { refuses: (text) => text.startsWith("//"), reason: `The path names a network share; ${relative}.` },
  {
    refuses: (text) => /^(?:[a-z]:|[a-z][a-z0-9+.-]*:\/\/|file:)/i.test(text),
    reason: `The path is a URL or has a drive letter; ${relative}.`,
  },
  {
    refuses: hidesSyntax,
    reason: "The path holds percent-encoded characters that would change its meaning; write the characters themselves.",
  },
  {
    refuses: (text) => /\$[{(]|`|^\$[A-Z_][A-Z0-9_]*(?:\/|$)|%[A-Z_][A-Z0-9_()]*%/i.test(text),
    reason: `The path holds a variable or substitution, which is never expanded; ${relative}.`,
  },
  { refuses: (text) => !text.startsWith("/") && climbs(text), reason: `The path leaves the workspace with ".."; ${relative}.` },
];

const partRules: readonly TextRule[] = [
  { refuses: (part) => isLonger(part, maxPartBytes), reason: `A part of the path is longer than ${maxPartBytes} bytes; shorten it.` },
  { refuses: (part) => part.startsWith("~"), reason: `A part of the path begins with "~", which is never expanded; ${relative}.` },
  { refuses: (part) => /::|:\$/.test(part), reason: "The path names an alternate data stream; name the file itself." },
  { refuses: becomesSyntax, reason: 'The path holds letters that some systems read as "/" or ".."; use plain ones.' },
];

/** For names that are to be created: they must mean the same on every system and in every later command. */
const newNameRules: readonly TextRule[] = [
  {
    refuses: (part) => /^\s|[\s.]$/u.test(part),
    reason: "A name begins or ends with a blank, or ends with a dot; some systems drop these. Choose another.",
  },
  { refuses: (part) => part.includes(":"), reason: 'A name holds ":", which some systems read as a stream or drive; choose another.' },
  {
    refuses: (part) => /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/i.test(part),
    reason: "The name belongs to a device on some systems (CON, NUL, COM1); choose another.",
  },
];
const dash = 'The name begins with "-", which later commands read as an option; choose another.';

/**
 * Judges a path as text, without a disk: what passes still has to be opened without leaving the workspace.
 * *Contract:* pure; never throws, whatever it is given; the reason never repeats the path. Reading and deleting accept
 * names that writing refuses to create.
 */
export function judgePathText(path: unknown, access: PathAccess = "read"): PathText {
  if (typeof path !== "string") return { ok: false, reason: "The path is not a string; give one." };
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const plain = joinParts(path, parts);
  // "./c:" is a drive letter only when its dot is gone, so both forms are judged.
  const whole = wholeRules.find((rule) => rule.refuses(path) || rule.refuses(plain));
  if (whole) return { ok: false, reason: whole.reason };
  if (parts.length > maxPathParts) return { ok: false, reason: `The path has more than ${maxPathParts} parts; shorten it.` };
  const names = parts.filter((part) => part !== "..");
  const rules = access === "write" ? [...partRules, ...newNameRules] : partRules;
  const broken = rules.find((rule) => names.some(rule.refuses));
  if (broken) return { ok: false, reason: broken.reason };
  if (access === "write" && [parts[0], parts.at(-1)].some((part) => part?.startsWith("-"))) return { ok: false, reason: dash };
  return { ok: true, path: plain };
}

function joinParts(path: string, parts: readonly string[]): string {
  const folder = parts.length > 0 && /(?:^|\/)\.?$/.test(path) ? "/" : "";
  const joined = `${path.startsWith("/") ? "/" : ""}${parts.join("/")}${folder}`;
  return joined === "" && path !== "" ? "." : joined;
}

function climbs(text: string): boolean {
  let depth = 0;
  for (const part of text.split("/")) {
    if (part === "..") depth -= 1;
    else if (part !== "" && part !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** A layer that decodes once more must find neither separators, dots, controls nor another escape. */
function hidesSyntax(text: string): boolean {
  if (/%u[0-9a-f]{4}/i.test(text)) return true;
  return (text.match(/(?:%[0-9a-f]{2})+/gi) ?? []).some((run) => {
    try {
      return /[./\\%~$:\p{Cc}\p{Cf}]/u.test(decodeURIComponent(run));
    } catch {
      return true;
    }
  });
}

function becomesSyntax(part: string): boolean {
  const plain = part.normalize("NFKC");
  return plain !== part && (/[/\\]/.test(plain) || plain === "." || plain === "..");
}

/** A path as one may show it: quoted, bounded, and with everything invisible written as an escape. */
export function quotePath(path: string): string {
  const shown = path.length > 200 ? `${path.slice(0, 200)}...` : path;
  return makeVisible(JSON.stringify(shown));
}

/** Writes invisible characters as `\u{...}`. Such a text is never an acceptable path, so it cannot be mistaken for one. */
export function makeVisible(text: string): string {
  return text.toWellFormed().replace(everyUnseen, (letter) => `\\u{${letter.codePointAt(0)?.toString(16)}}`);
}

/** What is done to a path. */
export type PathAccess = "read" | "write" | "delete";

/** `never`: no tool may do it. `ask`: only when a person or a rule has allowed this very access. */
export type Protection = "none" | "ask" | "never";

/** The engine's own folder. It is protected when it is missing, too: who creates it first would own its settings. */
const ownState = /^\.toolwright(?:\.[a-z]+)?$/;
const credentialNames = new Set(
  [
    ".netrc _netrc .pgpass .my.cnf .npmrc .yarnrc.yml .pypirc .git-credentials .htpasswd .dockercfg .vault-token .boto .s3cfg",
    "id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk",
    ".ssh .aws .azure .gnupg .kube .docker .password-store",
  ].flatMap((line) => line.split(" ")),
);
const credentialForms = /^\.env$|^\.env\.(?!(?:example|sample|template|dist|defaults|schema)$)|\.env$|\.(?:pem|p12|pfx|jks|keystore|kdbx)$/;

/**
 * Says whether a path inside the workspace holds something that tools must not reach by themselves. Compared without case, in
 * Unicode compatibility form and without what Windows drops (CVE-2014-9390, CVE-2025-59944).
 * @param relative - relative to the workspace, best with links already resolved.
 */
export function protectionOf(relative: string, access: PathAccess): Protection {
  const names = namesOf(relative);
  const changes = access !== "read";
  if (names.some((name) => ownState.test(name) || (changes && name === ".git"))) return "never";
  if (names.some(isCredentialName)) return "ask";
  if (access !== "read" && isObeyed(names, access)) return "ask";
  // With a file HEAD any folder can be made a bare repository, whose configuration git obeys.
  return changes && names.at(-1) === "head" ? "ask" : "none";
}

/** True for a path with a part that is named like a file or folder of credentials, compared as `protectionOf` does. */
export function isCredentialPath(relative: string): boolean {
  return namesOf(relative).some(isCredentialName);
}

/** True when `protectionOf` has anything against the access. */
export function isProtectedPath(relative: string, access: PathAccess): boolean {
  return protectionOf(relative, access) !== "none";
}

const isCredentialName = (folded: string) => credentialNames.has(folded) || credentialForms.test(folded);

function namesOf(path: string): string[] {
  const names: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") names.pop();
    else if (part !== "" && part !== ".") names.push(foldName(part));
  }
  return names;
}

/** Names in which nothing is left to fold, which nearly all are. */
const foldedName = /^[a-z0-9_.-]*[a-z0-9_-]$/;

/**
 * The name as the most forgiving file system reads it: no case, also of letters that are two in upper case, no stream, no trailing dots
 * and blanks, no short form of `.git`.
 */
function foldName(part: string): string {
  if (foldedName.test(part)) return part;
  const folded = part
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .split(":", 1)[0]!
    .replace(/(?<=[^. ])[. ]+$/, "");
  return /^git~\d+$/.test(folded) ? ".git" : folded;
}

/** True for a path at or below a folder, both absolute and without a slash at the end. Compares texts, and no disk. */
export const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** The innermost of the folders that hold an absolute path, by its text. */
export function findInnermost<Folder extends { readonly path: string }>(path: string, folders: readonly Folder[]): Folder | undefined {
  const [found] = folders.filter((folder) => isBelow(path, folder.path)).sort((a, b) => b.path.length - a.path.length);
  return found;
}
