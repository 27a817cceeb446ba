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

export interface IdentityFacts {
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
