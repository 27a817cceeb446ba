import { existsSync, lstatSync, readlinkSync } from "node:fs";
import type { NetworkAccess } from "@toolwright/engine";
import { nodeFolders } from "./host-tools.ts";

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

export interface RootOptions {
  /** Host folders that are shown read-only beside the system's. */
  readonly readable: readonly string[];
  readonly temporaryMb: number;
}

export interface RootVariant {
  readonly network: NetworkAccess;
  readonly runsAsRoot: boolean;
}

const readOnly = (path: string) => (existsSync(path) ? ["--ro-bind", path, path] : []);
const sizedTmpfs = (path: string, megabytes: number) => ["--size", String(megabytes * mebibyte), "--tmpfs", path];

/** Something of the host's system that a sandbox shows: a folder or file read-only, or a link to somewhere in it. */
export interface SystemEntry {
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
function sandboxRoot({ readable, temporaryMb }: RootOptions, { network, runsAsRoot }: RootVariant): string[] {
  return [
    ...findSystemEntries(network).flatMap(({ path, linkTo }) => (linkTo === undefined ? readOnly(path) : ["--symlink", linkTo, path])),
    ...["--proc", "/proc"],
    ...(runsAsRoot ? rootOnlyKernelFiles.filter(existsSync).flatMap((path) => ["--ro-bind", "/dev/null", path]) : []),
    // bwrap leaves /proc/sys as it is for a caller without capabilities, and the kernel lets root's uid write there without any.
    ...["--remount-ro", "/proc"],
    ...["--dev", "/dev", ...sizedTmpfs("/dev/shm", 64), "--remount-ro", "/dev"],
    ...sizedTmpfs("/tmp", temporaryMb),
    ...["--dir", sandboxHome],
    ...[...nodeFolders(), ...readable].flatMap(readOnly),
  ];
}

export const sandboxHome = "/tmp/home";
