import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { type NetworkAccess, ToolwrightError } from "@toolwright/engine";
import type { ProcessSpec } from "@toolwright/engine/ports";
import { identify } from "../git-metadata/hold-folder.ts";
import { nodeFolders, type PreparedSpec } from "./prepare-spec.ts";

const mebibyte = 1024 * 1024;
const systemLinks = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
const systemFolders = ["/usr", "/opt", "/nix/store"];
/** What programs need to run; nothing that holds keys. */
const configuration = [
  "alternatives",
  "ca-certificates.conf",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki/tls/certs",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
].map((name) => `/etc/${name}`);
/** Kernel facts that root alone may read. */
const rootOnlyKernelFiles = ["kcore", "keys", "kpagecgroup", "kpagecount", "kpageflags", "slabinfo", "timer_list", "vmallocinfo"].map(
  (name) => `/proc/${name}`,
);

interface RootOptions {
  /** Host folders that are shown read-only beside the system's. */
  readonly readable: readonly string[];
  readonly temporaryMb: number;
  /** Its programs make namespaces of their own, whose users are written into files of their processes. */
  readonly innerSandbox?: boolean | undefined;
}

interface RootVariant {
  readonly network: NetworkAccess;
  readonly runsAsRoot: boolean;
}

const readOnly = (path: string) => (existsSync(path) ? ["--ro-bind", path, path] : []);
const sizedTmpfs = (path: string, megabytes: number) => ["--size", String(megabytes * mebibyte), "--tmpfs", path];

/** Something of the host's system that a sandbox shows: a folder or file read-only, or a link to somewhere in it. */
interface SystemEntry {
  readonly path: string;
  readonly linkTo?: string;
}

/** What programs need of the host's system. */
export function findSystemEntries(network: NetworkAccess): readonly SystemEntry[] {
  const files = network === "host" ? [...configuration, "/etc/resolv.conf"] : configuration;
  const link = (path: string) => (lstatSync(path).isSymbolicLink() ? { path, linkTo: readlinkSync(path) } : { path });
  return [
    ...systemFolders.filter(existsSync).map((path) => ({ path })),
    ...systemLinks.filter(existsSync).map(link),
    ...files.filter(existsSync).map((path) => ({ path })),
  ];
}

/** Looks at the host once per variant: every run is made of the same arguments, so a waiting sandbox fits them. */
export function createSandboxRoots(options: RootOptions): (variant: RootVariant) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  return (variant) => {
    const key = `${variant.network} ${variant.runsAsRoot}`;
    const root = known.get(key) ?? sandboxRoot(options, variant);
    known.set(key, root);
    return root;
  };
}

/** A root of its own, as arguments for bwrap, instead of the host's: host sockets, homes and data folders are not there to be reached. */
function sandboxRoot({ readable, temporaryMb, innerSandbox }: RootOptions, { network, runsAsRoot }: RootVariant): string[] {
  return [
    ...findSystemEntries(network).flatMap(({ path, linkTo }) => (linkTo === undefined ? readOnly(path) : ["--symlink", linkTo, path])),
    ...["--proc", "/proc"],
    ...(runsAsRoot ? rootOnlyKernelFiles.filter(existsSync).flatMap((path) => ["--ro-bind", "/dev/null", path]) : []),
    // bwrap leaves /proc/sys as it is for a caller without capabilities, and the kernel lets root's uid write there without any.
    ...(innerSandbox && !runsAsRoot ? [] : ["--remount-ro", "/proc"]),
    ...["--dev", "/dev", ...sizedTmpfs("/dev/shm", 64), "--remount-ro", "/dev"],
    ...sizedTmpfs("/tmp", temporaryMb),
    ...["--dir", sandboxHome],
    ...[...nodeFolders(), ...readable].flatMap(readOnly),
  ];
}

export const sandboxHome = "/tmp/home";

export interface Protection {
  /** Host paths that become mounts of themselves, in this order, after the workspace itself. */
  readonly mounts: readonly ProtectionMount[];
  /** Workspace-relative; something must be there before it can be covered. */
  readonly entries: readonly string[];
  readonly gaps: readonly string[];
  /** Differs when something else stands at a sealed path: a sandbox that was made before does not seal it. */
  readonly mark: string;
}

interface ProtectionMount {
  readonly path: string;
  readonly writable: boolean;
  /** It is left out when it is gone by then. */
  readonly optional: boolean;
}

interface Place {
  readonly folders: readonly string[];
  readonly entry: string;
  readonly isLink: boolean;
}

/** Walks down to the entry; what is not a folder on the way is what has to be protected. */
function locate(workspace: string, path: string): Place {
  const parts = path.split("/");
  const folders: string[] = [];
  for (const [index] of parts.entries()) {
    const entry = parts.slice(0, index + 1).join("/");
    const found = lstatSync(join(workspace, entry), { throwIfNoEntry: false });
    if (index === parts.length - 1) return { folders, entry, isLink: found?.isSymbolicLink() ?? false };
    if (found !== undefined && !found.isDirectory()) return { folders, entry, isLink: found.isSymbolicLink() };
    folders.push(entry);
  }
  return { folders, entry: path, isLink: false };
}

type ProtectedSpec = Pick<ProcessSpec, "writable" | "protectedPaths" | "sealedPaths" | "folders">;

/**
 * Covers each protected or sealed path with a read-only mount of itself. Its folders become mount points too: a mount point cannot be
 * renamed or removed, but a plain folder with a mount below it can, and another be put in its place. Folders beside the workspace become mounts,
 * with their own sealed paths.
 */
export function protectPaths(
  workspace: string,
  { writable, protectedPaths, sealedPaths = [], folders: beside = [] }: ProtectedSpec,
): Protection {
  const folders = new Set<string>();
  const entries = new Set<string>();
  const gaps: string[] = [];
  for (const path of writable ? protectedPaths : []) {
    const relative = normalize(path).replace(/(?<!\/)\/+$/, "");
    if (relative === "." || relative.startsWith("../") || relative === ".." || relative.startsWith("/")) continue;
    const place = locate(workspace, relative);
    if (place.isLink) {
      gaps.push(`${place.entry} is a link, so it could be replaced although ${path} is protected.`);
      continue;
    }
    for (const folder of place.folders) folders.add(folder);
    entries.add(place.entry);
  }
  const sealed = new Set(writable ? sealedPaths : []);
  const above = [...sealed].flatMap(foldersAbove);
  const optional = new Set([...sealed, ...above].filter((path) => !folders.has(path) && !entries.has(path)));
  const mount = (isWritable: boolean) => (entry: string) => ({
    path: join(workspace, entry),
    writable: isWritable,
    optional: optional.has(entry),
  });
  const covered = new Set([...entries, ...sealed]);
  const plainFolders = [...new Set([...folders, ...above])].filter((folder) => !covered.has(folder)).sort();
  const others = beside.map((folder) => ({ folder, own: protectPaths(folder.path, { ...folder, protectedPaths: [] }) }));
  return {
    mounts: [
      ...plainFolders.map(mount(true)),
      ...[...covered].sort().map(mount(false)),
      ...others.flatMap(({ folder: { path, writable: isOpen }, own }) => [{ path, writable: isOpen, optional: false }, ...own.mounts]),
    ],
    entries: [...entries],
    gaps,
    mark: [markOf(workspace, sealed), ...others.map(({ own }) => own.mark)].join("\n"),
  };
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** For the mounts of an engine that has no optional ones. */
export function presentMounts({ mounts }: Pick<Protection, "mounts">): readonly ProtectionMount[] {
  return mounts.filter(({ path, optional }) => !optional || lstatSync(path, { throwIfNoEntry: false }) !== undefined);
}

function markOf(workspace: string, paths: Iterable<string>): string {
  return [...paths]
    .map((path) => {
      const stats = lstatSync(join(workspace, path), { bigint: true, throwIfNoEntry: false });
      return `${path} ${stats === undefined ? "gone" : identify(stats)}`;
    })
    .join("\n");
}

/** A host path that a run must not see, by what stands there. */
export interface HiddenPath {
  /** Absolute. */
  readonly path: string;
  readonly isFolder: boolean;
  /** Differs when another file took the name: a mount made for the one before would not cover it. */
  readonly identity: string;
}

/** Each is a mount of its own; thousands would make every command slow, and are nobody's credentials. */
const mostPlaces = 4000;

interface HidingSpec extends Pick<PreparedSpec, "workspace" | "owner"> {
  readonly spec: Pick<ProcessSpec, "hiddenPaths" | "folders">;
}

/**
 * What of `hiddenPaths` is there to be covered. A link is left: what it leads to is covered by its own name. In a folder that the run's user
 * may not enter nothing can be covered, so the folder is: its owner could open it. The same holds in the folders beside the workspace.
 */
export function findHidden({ workspace, owner, spec }: HidingSpec): readonly HiddenPath[] {
  const { hiddenPaths = [], folders = [] } = spec;
  const beside = folders.flatMap((folder) => findHidden({ workspace: folder.path, owner, spec: folder }));
  if (hiddenPaths.length > mostPlaces)
    throw new ToolwrightError(
      "spawn_failed",
      `The command was not started: the workspace holds ${hiddenPaths.length} credential files, more than the ${mostPlaces} that can be hidden. Approve the call, or move them out of the workspace.`,
    );
  const places = new Map<string, HiddenPath>();
  for (const entry of hiddenPaths) {
    const path = nearestReachable(workspace, entry, owner);
    const found = path.startsWith(`${workspace}/`) ? lstatSync(path, { throwIfNoEntry: false, bigint: true }) : undefined;
    if (!found || found.isSymbolicLink()) continue;
    // The number of a file that is gone is given to the next one at once; its time of birth is not.
    places.set(path, { path, isFolder: found.isDirectory(), identity: `${found.dev} ${found.ino} ${found.birthtimeNs}` });
  }
  return [...places.values(), ...beside];
}

/** The path itself, or the first folder on the way that this user may not enter. */
function nearestReachable(workspace: string, entry: string, owner: PreparedSpec["owner"]): string {
  const parts = entry.split("/");
  for (let count = 1; count < parts.length; count++) {
    const folder = join(workspace, ...parts.slice(0, count));
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return folder;
    const right = found.uid === owner.uid ? 0o100 : found.gid === owner.gid ? 0o010 : 0o001;
    if ((found.mode & right) === 0) return folder;
  }
  return join(workspace, entry);
}

interface StandIns {
  readonly file: string;
  readonly folder: string;
}

let made: (StandIns & { readonly at: string }) | undefined;

/** An empty file and an empty folder on the host, which every user can read: what stands in the place of what is hidden. */
export function standIns(): StandIns {
  if (made && isEmpty(made)) return made;
  const at = makeReachableFolder();
  const places = { at, file: join(at, "file"), folder: join(at, "folder") };
  writeFileSync(places.file, "");
  mkdirSync(places.folder);
  chmodSync(places.file, 0o444);
  chmodSync(places.folder, 0o555);
  chmodSync(at, 0o755);
  if (made === undefined) process.once("exit", () => made && rmSync(made.at, { recursive: true, force: true }));
  made = places;
  return places;
}

/** Something may have tidied the temporary folder, or used what lies in it. */
function isEmpty({ file, folder }: StandIns): boolean {
  try {
    return statSync(file).size === 0 && readdirSync(folder).length === 0;
  } catch {
    return false;
  }
}

/** A sandbox of another user has to get there, which a temporary folder of one user's own does not allow. */
function makeReachableFolder(): string {
  const parent = ["/tmp", "/var/tmp", tmpdir()].find((folder) => isOpenToAll(folder)) ?? tmpdir();
  return mkdtempSync(join(parent, "toolwright-empty-"));
}

function isOpenToAll(folder: string): boolean {
  try {
    if ((statSync(folder).mode & 0o1003) !== 0o1003) return false;
    for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
      if ((statSync(above).mode & 0o1) === 0) return false;
    return true;
  } catch {
    return false;
  }
}
