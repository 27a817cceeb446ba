import { closeSync, constants, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { protectionOf, quotePath } from "@toolwright/commands/targets";
import { ToolwrightError } from "@toolwright/engine";
import { type Anchoring, type OpenFolder, openInside } from "../files/anchor.ts";

const shown = 10;
const mostEntries = 500_000;

/** A checkout that is held open: what somebody swaps meanwhile is not looked at. */
export interface Checkout {
  readonly anchoring: Anchoring;
  readonly folder: OpenFolder;
}

interface Findings {
  readonly obeyed: string[];
  readonly outward: string[];
  /** Attributes that leave files to Git LFS. */
  readonly lfs: string[];
  entries: number;
}

/** What a clone brought that people should know before they use it, as sentences. Throws `path_refused` for names that no tool writes. */
export async function inspectCheckout({ anchoring, folder }: Checkout, signal: AbortSignal): Promise<string[]> {
  const findings: Findings = { obeyed: [], outward: [], lfs: [], entries: 0 };
  await inspectFolder(folder, "", { anchoring, signal, findings });
  const { obeyed, outward, lfs } = findings;
  return [
    ...(obeyed.includes(".gitmodules") ? ["Its submodules were not cloned; clone those that you need by themselves."] : []),
    ...sentence(
      "These files look like credentials or are obeyed by editors, shells or agents; read them before anything uses this folder:",
      obeyed,
    ),
    ...sentence(
      "Git LFS was refused, so the files that it keeps are pointers of some lines and not their contents; they are named in:",
      lfs,
    ),
    ...sentence("These links lead out of the repository:", outward),
  ];
}

function sentence(beginning: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > shown ? ` and ${paths.length - shown} more` : "";
  return [`${beginning} ${paths.slice(0, shown).map(quotePath).join(", ")}${more}.`];
}

interface Look {
  readonly anchoring: Anchoring;
  readonly signal: AbortSignal;
  readonly findings: Findings;
  /** The folder is named already, and stands for what is in it. */
  readonly inNoted?: boolean;
}

async function inspectFolder(folder: OpenFolder, path: string, look: Look): Promise<void> {
  const { anchoring, signal, findings, inNoted = false } = look;
  // A large tree must not keep the whole process busy.
  await setImmediate();
  signal.throwIfAborted();
  for (const entry of readdirSync(anchoring.self(folder), { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (below === ".git") continue;
    const isNoted = note(below, findings, inNoted);
    if (entry.isSymbolicLink() && leadsOut(path, readlinkSync(anchoring.entry(folder, entry.name)))) findings.outward.push(below);
    if (entry.name === ".gitattributes" && /\bfilter=lfs\b/.test(readBelow(anchoring, folder, [entry.name]))) findings.lfs.push(below);
    if (!entry.isDirectory()) continue;
    const inner = openInside(anchoring, folder, entry.name);
    try {
      await inspectFolder(inner, below, { ...look, inNoted: isNoted });
    } finally {
      closeSync(inner.fd);
    }
  }
}

/** True when it is named, or a folder above it. */
function note(path: string, findings: Findings, inNoted: boolean): boolean {
  if (++findings.entries > mostEntries)
    throw new ToolwrightError("path_refused", `The repository holds more than ${mostEntries} files, which is too many to clone.`);
  const protection = protectionOf(path, "write");
  if (protection === "ask" && !inNoted) findings.obeyed.push(path);
  if (protection !== "never") return inNoted || protection === "ask";
  throw new ToolwrightError(
    "path_refused",
    `The repository holds ${quotePath(path)}, a protected name that tools never write, so it was not cloned.`,
  );
}

function leadsOut(folder: string, target: string): boolean {
  const [first] = join(folder, target).split("/");
  return target.startsWith("/") || first === ".." || first === ".git";
}

/** Branch and commit that are checked out, from the files of the repository: git need not run again. */
export function readHead({ anchoring, folder }: Checkout): { readonly branch: string | null; readonly commit: string | null } {
  const head = readBelow(anchoring, folder, [".git", "HEAD"]);
  const branch = /^ref: refs\/heads\/(\S+)\n$/.exec(head)?.[1] ?? null;
  if (branch === null) return { branch, commit: objectId(head) };
  return { branch, commit: objectId(readBelow(anchoring, folder, [".git", "refs", "heads", ...branch.split("/")])) };
}

/** Follows no link; empty where there is no file. */
function readBelow(anchoring: Anchoring, folder: OpenFolder, [name = "", ...rest]: readonly string[]): string {
  if (name === "" || name === "." || name === "..") return "";
  try {
    if (rest.length === 0) return readLeaf(anchoring.entry(folder, name));
    const inner = openInside(anchoring, folder, name);
    try {
      return readBelow(anchoring, inner, rest);
    } finally {
      closeSync(inner.fd);
    }
  } catch {
    return "";
  }
}

function readLeaf(address: string): string {
  const fd = openSync(address, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

function objectId(text: string): string | null {
  return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(text)?.[1] ?? null;
}
