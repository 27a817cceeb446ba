import { readFileSync } from "node:fs";
import { release } from "node:os";
import { detectControlGroups, noControlGroups } from "../process/control-group-detection.ts";
import { runProgram } from "../process/run-program.ts";
import type { DriverOptions, Machine, Missing } from "./create-driver.ts";
import { findSystemProgram } from "./host-tools.ts";
import { findMechanisms, type Mechanisms } from "./plan-limits.ts";
import { readOnlyDevices } from "./sandbox-identity.ts";
import { createSandboxRoots, sandboxHome } from "./sandbox-root.ts";
import { seccompFilter } from "./seccomp-filter.ts";

export interface BwrapDriverOptions extends DriverOptions {
  /** Absolute path of bubblewrap; found in the system's folders when absent. */
  readonly bwrap?: string;
  /** Absolute host folders that every run may read, beside /usr, /opt and the Node that runs this. */
  readonly readable?: readonly string[];
  /** Size of the run's own /tmp, which also holds HOME; counts against the memory limit. */
  readonly temporaryMb?: number;
  /** Sandboxes kept waiting for a command, over all workspaces and policies; 0 for none. */
  readonly warm?: number;
  /** Milliseconds until a waiting sandbox that nobody took is ended. */
  readonly warmIdleMs?: number;
  /** `none` leaves control groups alone, as on a machine that has none. */
  readonly controlGroups?: "detect" | "none";
}

/** What was found on this machine, once per driver. */
export interface BwrapMachine extends Machine {
  readonly tools: BwrapTools;
  /** `pinned` where a run must not choose its processors. */
  readonly seccomp: { readonly plain: Buffer | undefined; readonly pinned: Buffer | undefined };
  readonly rootFor: ReturnType<typeof createSandboxRoots>;
}

export async function findBwrap(options: BwrapDriverOptions): Promise<BwrapMachine | Missing> {
  const tools = findTools(options.bwrap);
  if (!("bwrap" in tools)) return tools;
  const version = await findVersion(tools.bwrap);
  if (typeof version !== "string") return version;
  const isRoot = process.getuid?.() === 0;
  const groups = options.controlGroups === "none" ? noControlGroups : detectControlGroups();
  const mechanisms = mechanismsOf({ groups }, isRoot);
  const remedy = "Run under systemd with Delegate=yes to get memory, process and CPU limits from control groups.";
  return {
    ...{ tools, groups, mechanisms, detail: version },
    ...(mechanisms.cpuPercent === "cgroup" ? {} : { remedy }),
    surroundings: { home: sandboxHome, temporary: "/tmp", shell: tools.bash },
    spawnerPrefix: isRoot ? readOnlyDevices(tools.unshare!) : [],
    seccomp: { plain: seccompFilter(), pinned: seccompFilter({ pinned: true }) },
    rootFor: createSandboxRoots({ readable: options.readable ?? [], temporaryMb: options.temporaryMb ?? 512 }),
  };
}

/** A user namespace counts its processes for itself since Linux 5.14; root is exempt from the count. */
function countsProcesses(runsAsRoot: boolean): boolean {
  const [major, minor] = release().split(".").map(Number);
  return !runsAsRoot && (major! > 5 || (major === 5 && minor! >= 14));
}

export function mechanismsOf({ groups }: Pick<Machine, "groups">, runsAsRoot: boolean): Mechanisms {
  return findMechanisms(groups, countsProcesses(runsAsRoot));
}

const trialMs = 10_000;

interface BwrapTools {
  readonly bwrap: string;
  readonly bash: string;
  /** Only for a root caller. */
  readonly setpriv: string | undefined;
  readonly unshare: string | undefined;
}

function readSetting(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return undefined;
  }
}

/** The programs that a bwrap run is made of, or what is missing. */
export function findTools(bwrapPath: string | undefined): BwrapTools | Missing {
  if (process.platform !== "linux")
    return { detail: `bubblewrap needs Linux; this is ${process.platform}. Use the driver docker, or host without isolation.` };
  const bwrap = bwrapPath ?? findSystemProgram("bwrap");
  if (bwrap === undefined) return { detail: "bubblewrap is not installed.", remedy: "apt-get install bubblewrap" };
  const bash = findSystemProgram("bash");
  if (bash === undefined) return { detail: "bash is not installed; the sandbox starts commands through it.", remedy: "apk add bash" };
  const tools = { bwrap, bash, setpriv: findSystemProgram("setpriv"), unshare: findSystemProgram("unshare") };
  const complete = process.getuid?.() !== 0 || (tools.setpriv !== undefined && tools.unshare !== undefined);
  return complete
    ? tools
    : { detail: "This process is root, and setpriv or unshare, which drop root, are missing.", remedy: "apt-get install util-linux" };
}

/** "bubblewrap 0.8.0" or what went wrong. `--disable-userns` came with 0.8. */
async function findVersion(bwrap: string): Promise<string | Missing> {
  try {
    const { stdout } = await runProgram([bwrap, "--version"], { limitMs: trialMs });
    const version = stdout.trim();
    const [major, minor] = version.split(" ").at(-1)!.split(".").map(Number);
    if (major! > 0 || minor! >= 8) return version;
    return { detail: `${version} is too old: 0.8 or later is needed.`, remedy: "apt-get install bubblewrap" };
  } catch {
    return { detail: `bubblewrap is not at ${bwrap}, or does not run.`, remedy: "apt-get install bubblewrap" };
  }
}

/** Why a sandbox could not be made here, in the order of likelihood. */
export function explainFailure(problem: string): Missing {
  if (readSetting("/proc/sys/kernel/unprivileged_userns_clone") === "0")
    return { detail: "Unprivileged user namespaces are disabled.", remedy: "sysctl -w kernel.unprivileged_userns_clone=1" };
  if (readSetting("/proc/sys/user/max_user_namespaces") === "0")
    return { detail: "User namespaces are disabled.", remedy: "sysctl -w user.max_user_namespaces=15000" };
  if (readSetting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") === "1")
    return {
      detail: "AppArmor does not let bubblewrap make user namespaces.",
      remedy: "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap that permits userns",
    };
  const inContainer = process.getuid?.() === 0 ? " A container needs CAP_SYS_ADMIN, or run Toolwright as another user in it." : "";
  return { detail: `bubblewrap is there, but a trial run of it failed. ${problem}${inContainer}` };
}
