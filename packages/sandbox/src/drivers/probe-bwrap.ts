import { readFileSync } from "node:fs";
import { runProgram } from "../process/run-program.ts";
import { findSystemProgram } from "./host-tools.ts";

const trialMs = 10_000;

export interface BwrapTools {
  readonly bwrap: string;
  readonly bash: string;
  /** Only for a root caller. */
  readonly setpriv: string | undefined;
  readonly unshare: string | undefined;
}

export interface Missing {
  readonly detail: string;
  readonly remedy?: string;
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
export async function findVersion(bwrap: string): Promise<string | Missing> {
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
