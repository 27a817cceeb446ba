import { ToolwrightError } from "@toolwright/engine";
import { proxySocket } from "../egress/relay-loopback.ts";
import { waitingScript } from "./bwrap-command.ts";
import { emptyPlaces, type HiddenPlace } from "./hide-paths.ts";
import { nodeFolders } from "./host-tools.ts";
import type { PreparedSpec } from "./prepare-spec.ts";
import { type Protection, presentMounts } from "./protect-paths.ts";
import { findSystemEntries } from "./sandbox-root.ts";
import type { Stage } from "./stage-sources.ts";

export interface NsjailCommandOptions {
  readonly nsjail: string;
  readonly shell: string;
  /** Inside, and who that is to the host. */
  readonly user: IdMapping;
  readonly group: IdMapping;
  readonly protection: Protection;
  readonly hidden?: readonly HiddenPlace[];
  readonly readable: readonly string[];
  readonly temporaryMb: number;
  /** Of a filtered network: the socket of this run's proxy, and what leads to it. */
  readonly stage: Stage;
  readonly egress?: { readonly socket: string; readonly relay: readonly string[] };
}

export interface IdMapping {
  readonly inside: number;
  readonly outside: number;
}

/**
 * nsjail's own defaults that matter: every namespace is new, capabilities are dropped, no_new_privs is set, the environment is empty,
 * the root is a read-only tmpfs, /proc is read-only, the jail dies with nsjail, and a command that a signal ended exits with 128 and its number.
 */
const always = [
  ...["--mode", "o", "--really_quiet", "--time_limit", "0", "--nice_level", "0", "--hostname", "sandbox"],
  // Limits of resources are set by the launcher in front, which nsjail would replace with its own.
  ...["--disable_rlimits", "--pass_fd", "3"],
];
const devices = ["null", "zero", "full", "random", "urandom"].map((name) => `/dev/${name}`);
const deviceLinks = {
  "/dev/fd": "/proc/self/fd",
  "/dev/stdin": "/proc/self/fd/0",
  "/dev/stdout": "/proc/self/fd/1",
  "/dev/stderr": "/proc/self/fd/2",
};

/** Throws `spawn_failed` for a path that nsjail's notation of mounts has no way to write. */
export function nsjailArgv(
  { workspace, spec, baseEnv }: Pick<PreparedSpec, "workspace" | "spec" | "baseEnv">,
  options: NsjailCommandOptions,
): string[] {
  const { user, group, egress, protection, hidden = [] } = options;
  const binds = [
    ...rootMounts(spec.network, options),
    ...mount(workspace, { writable: spec.writable }),
    ...presentMounts(protection).flatMap(({ path, writable }) => mount(path, { writable })),
    ...hidden.flatMap(({ path, isFolder }) =>
      mount(isFolder ? emptyPlaces().folder : emptyPlaces().file, { writable: false, target: path }),
    ),
    ...(egress ? mount(egress.socket, { writable: false, target: proxySocket }) : []),
  ];
  const sources = binds.flatMap((word) => (typeof word === "string" ? [] : [word.source]));
  const staged = options.stage(sources);
  return [
    ...staged.prefix,
    options.nsjail,
    ...always,
    ...["--user", `${user.inside}:${user.outside}:1`, "--group", `${group.inside}:${group.outside}:1`],
    ...(spec.network === "host" ? ["--disable_clone_newnet"] : []),
    ...Object.entries(baseEnv).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
    ...binds.map((word) => (typeof word === "string" ? word : writeMount(staged.sourceOf(word.source), word.target))),
    ...["--cwd", workspace, "--", options.shell, "--noprofile", "--norc", "-c"],
    ...[waitingScript({ processLimit: undefined, hasRelay: egress !== undefined, staysFirst: true }), "sh", ...(egress?.relay ?? [])],
  ];
}

function rootMounts(network: PreparedSpec["spec"]["network"], { readable, temporaryMb }: NsjailCommandOptions): Word[] {
  const readOnly = { writable: false };
  return [
    ...findSystemEntries(network).flatMap(({ path, linkTo }) =>
      linkTo === undefined ? mount(path, readOnly) : ["--symlink", `${linkTo}:${path}`],
    ),
    ...devices.flatMap((path) => mount(path, { writable: true })),
    ...Object.entries(deviceLinks).flatMap(([path, target]) => ["--symlink", `${target}:${path}`]),
    ...sizedTmpfs("/dev/shm", 64),
    ...sizedTmpfs("/tmp", temporaryMb),
    ...[...nodeFolders(), ...readable].flatMap((path) => mount(path, readOnly)),
  ];
}

const sizedTmpfs = (path: string, megabytes: number) => ["--mount", `none:${path}:tmpfs:size=${megabytes}M,mode=1777`];

interface MountWord {
  readonly source: string;
  readonly target: string;
}
type Word = string | MountWord;

function mount(path: string, { writable, target = path }: { readonly writable: boolean; readonly target?: string }): Word[] {
  if (path.includes(":"))
    throw new ToolwrightError("spawn_failed", `The folder ${JSON.stringify(path)} cannot be mounted: its name holds a colon.`);
  return [writable ? "--bindmount" : "--bindmount_ro", { source: path, target }];
}

const writeMount = (source: string, target: string) => (source === target ? source : `${source}:${target}`);
