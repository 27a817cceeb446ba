import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ToolwrightError } from "@toolwright/engine";

/** Whom the sandboxed child is to the host's kernel, and how it gets there. */
export interface SandboxIdentity {
  /** In front of bwrap. */
  readonly prefix: readonly string[];
  /** Inside. */
  readonly uid: number;
  readonly gid: number;
  readonly runsAsRoot: boolean;
  readonly gaps: readonly string[];
}

interface IdentityFacts {
  readonly caller: { readonly uid: number; readonly gid: number };
  readonly owner: { readonly uid: number; readonly gid: number };
  /** Absolute path of setpriv; needed when the caller is root. */
  readonly setpriv: string | undefined;
}

const plainUser = 1000;
const dropAll = ["--clear-groups", "--no-new-privs", "--inh-caps=-all", "--bounding-set=-all"];
// The kernel asks for CAP_SETFCAP of whoever maps the host's root into a user namespace (Linux 5.12).
const dropAllButMapping = [
  "--clear-groups",
  "--no-new-privs",
  "--inh-caps=-all,+setfcap",
  "--ambient-caps=-all,+setfcap",
  "--bounding-set=-all,+setfcap",
];
const withoutRootPower = ["--securebits=+noroot,+noroot_locked"];

const rootGap =
  "The workspace belongs to root, so the command ran with root's uid but no capabilities: it could read what is readable for root alone below /usr and /opt. Give the workspace to another user to close this.";

/**
 * Root drops to the owner of the workspace. A workspace of root's own cannot be given to another uid without changing it
 * (idmapped mounts are out of reach here), so there root's uid is kept, stripped of every capability before bwrap starts;
 * what the kernel grants to that uid alone (/proc/sys, modes of device nodes) is mounted read-only.
 */
export function chooseIdentity({ caller, owner, setpriv }: IdentityFacts): SandboxIdentity {
  if (caller.uid !== 0) return { prefix: [], ...caller, runsAsRoot: false, gaps: [] };
  if (setpriv === undefined) throw new TypeError("Dropping root needs setpriv.");
  const { uid, gid } = owner;
  if (uid !== 0) {
    return { prefix: [setpriv, "--reuid", String(uid), "--regid", String(gid), ...dropAll], uid, gid, runsAsRoot: false, gaps: [] };
  }
  const prefix = [setpriv, "--regid", "0", ...dropAllButMapping, ...withoutRootPower];
  return { prefix, uid: plainUser, gid: plainUser, runsAsRoot: true, gaps: [rootGap] };
}

/**
 * In front of the spawner of a root caller: a mount namespace of its own in which the device nodes are read-only mounts, which
 * every sandbox inherits. Without it a child with root's uid could change the mode of the host's /dev/null.
 */
export function readOnlyDevices(unshare: string): string[] {
  const script =
    'for node in null zero full random urandom tty; do mount --bind "/dev/$node" "/dev/$node" && mount -o remount,bind,ro "/dev/$node" || exit 1; done; exec "$@"';
  return [unshare, "--mount", "--propagation", "slave", "/bin/sh", "-c", script, "sh"];
}

interface Person {
  readonly uid: number;
  readonly gid: number;
}

/** Host paths as a sandbox program, which runs as the workspace's owner, can name them. */
interface StagedSources {
  /** In front of whatever drops root; empty when the owner can reach all of them. */
  readonly prefix: readonly string[];
  sourceOf(path: string): string;
}

/** Finds what of the paths has to be staged for the program that mounts them. */
export type Stage = (paths: readonly string[]) => StagedSources;

/** Every user can reach these, or nothing on the machine works. */
const system = /^\/(?:usr|bin|sbin|lib|lib32|lib64|libx32|opt|nix|etc|dev|proc)(?:\/|$)/;
/** Folders of every system that hold nothing which a sandbox needs. */
const places = ["/mnt", "/media", "/srv", "/boot", "/home", "/var/tmp", "/tmp"];

/** As the kernel judges a user without capabilities and further groups; who is not root is not above it either. */
function maySearch(folder: string, { uid, gid }: Person): boolean {
  const { mode, uid: owner, gid: group } = statSync(folder);
  const bit = uid === owner ? 0o100 : gid === group ? 0o010 : 0o001;
  return (mode & bit) !== 0;
}

/** Whether the person can walk down to the path. The path itself may be closed: what it holds is judged inside. */
export function canReach(path: string, person: Person): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!maySearch(folder, person)) return false;
    if (folder === "/") return true;
  }
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

export const unstaged: Stage = () => ({ prefix: [], sourceOf: (path) => path });

/**
 * For root, who runs a sandbox program as the owner of the workspace: that user need not be able to walk to the installation, nor to the
 * workspace itself. What is out of reach is bound to a place that is not, in a mount namespace of that one run, which ends with it.
 */
export function stageFor(person: Person, unshare: string): Stage {
  return (paths) => {
    const wanted = paths.filter((path) => !system.test(path)).sort((a, b) => a.length - b.length);
    // What lies below another of them is reached through that one.
    const outermost = wanted.filter((path, index) => !wanted.slice(0, index).some((folder) => isWithin(path, folder)));
    const roots = outermost.filter((path) => !canReach(path, person));
    if (roots.length === 0) return unstaged([]);
    const place = places.find((folder) => isUsable(folder, person) && !wanted.some((path) => isWithin(path, folder)));
    if (place === undefined) throw unreachable(roots[0]!, person);
    return {
      prefix: [...mountNamespace(unshare), place, ...roots.flatMap(describeRoot), "--"],
      sourceOf(path) {
        const index = roots.findIndex((root) => isWithin(path, root));
        return index === -1 ? path : `${place}/${index}${path.slice(roots[index]!.length)}`;
      },
    };
  };
}

function isUsable(folder: string, person: Person): boolean {
  return existsSync(folder) && lstatSync(folder).isDirectory() && canReach(folder, person);
}

/** What is found there when the mount is made must be what was judged. */
function describeRoot(path: string): string[] {
  const { dev, ino } = statSync(path);
  return [path, `${dev}:${ino}`];
}

/** Arguments: the place, pairs of a path and what is there, `--`, the program. Nothing of them is read as shell text. */
const script = `place=$1; shift
mount -t tmpfs -o mode=711,size=1m,nosuid,nodev toolwright "$place" || exit 125
count=0
while [ "$1" != -- ]; do
  if [ -d "$1" ]; then mkdir -m 700 "$place/$count"; else : > "$place/$count"; fi
  mount --bind -- "$1" "$place/$count" || exit 125
  [ "$(stat -c %d:%i -- "$place/$count")" = "$2" ] || { echo "toolwright: A folder that the command was to be given was replaced meanwhile, so it was not started. Call it again." >&2; exit 125; }
  count=$((count + 1)); shift 2
done
shift; exec "$@"`;

function mountNamespace(unshare: string): string[] {
  return [unshare, "--mount", "--propagation", "slave", "/bin/sh", "-c", script, "sh"];
}

function unreachable(path: string, { uid }: Person): ToolwrightError {
  return new ToolwrightError(
    "spawn_failed",
    `The command was not started: user ${uid}, who owns the workspace, cannot walk to ${path}. Let others walk its parent folders (chmod o+x), or move it.`,
  );
}
