import { isObeyed } from "./obeyed-name.ts";

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

/**
 * The name as the most forgiving file system reads it: no case, also of letters that are two in upper case, no stream, no trailing dots
 * and blanks, no short form of `.git`.
 */
function foldName(part: string): string {
  const folded = part
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase()
    .replace(/:.*$/s, "")
    .replace(/(?<=[^. ])[. ]+$/, "");
  return /^git~\d+$/.test(folded) ? ".git" : folded;
}
