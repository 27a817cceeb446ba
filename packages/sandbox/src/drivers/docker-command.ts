import { ToolwrightError } from "@toolwright/engine";
import type { ProcessSpec, ResourceLimits } from "@toolwright/engine/ports";
import { proxySocket, relayScript } from "../egress/relay-loopback.ts";
import { machineLabel } from "./docker-engine.ts";
import { processors } from "./plan-limits.ts";
import type { PreparedSpec } from "./prepare-spec.ts";
import { type HiddenPath, type Protection, presentMounts, sandboxHome } from "./sandbox-root.ts";

interface ContainerOptions {
  readonly name: string;
  readonly image: string;
  readonly token: string;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly protection: Protection;
  readonly limits: ResourceLimits;
  readonly hidden?: readonly HiddenPath[];
  /** Host folders that are shown read-only. */
  readonly readable: readonly string[];
  readonly temporaryMb: number;
  /** The operator's, before ours: what we set, they cannot loosen. */
  readonly runArguments: readonly string[];
  /** Socket of this run's proxy on a filtered network, and what in the image leads to it. */
  readonly egress?: { readonly socket: string; readonly relay: readonly string[] };
}

/** The variables of a run, as the client's own: values are in nobody's command line. */
export function runVariables({ env }: Pick<PreparedSpec, "env">): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value], index) => [`TOOLWRIGHT_${index}`, `${name}=${value}`]));
}

const quote = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * The first process of the container: says that it runs, gives the command its variables and no others, and waits for it. As
 * the first process it is the one that a signal to all leaves alone. Nothing of the command is read as shell text.
 */
function launcher(relay: readonly string[]): string {
  const startRelay = relay.length === 0 ? "" : `${["/bin/sh", "-c", relayScript, "sh", ...relay].map(quote).join(" ")} || exit 125\n`;
  return `${startRelay}variables=$1 PATH=$2 token=$3; shift 3
command -v "$1" >/dev/null || { echo "toolwright: The image has no program \\"$1\\". Use an image that has it." >&2; exit 127; }
while [ "$variables" -gt 0 ]; do variables=$((variables - 1)); eval "set -- \\"\\$TOOLWRIGHT_$variables\\" \\"\\$@\\""; done
mkdir -p ${sandboxHome}
printf %s "$token"
env -i "$@"
exit $?`;
}

/** The words after the client's own. Throws `spawn_failed` for a path that a mount cannot be written with. */
export function containerArgv(
  prepared: Pick<PreparedSpec, "spec" | "workspace" | "workdir" | "env" | "argv">,
  options: ContainerOptions,
): string[] {
  const { spec, workspace, workdir, env, argv } = prepared;
  const { name, image, user, protection, hidden = [], readable, egress } = options;
  const variables = Object.keys(runVariables({ env }));
  return [
    "run",
    ...options.runArguments,
    ...["--interactive", "--name", name, "--label", machineLabel(), "--hostname", "sandbox", "--pull", "never", "--log-driver", "none"],
    ...["--network", "none", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--read-only"],
    ...["--user", `${user.uid}:${user.gid}`, "--workdir", workdir, "--shm-size", "64m"],
    ...temporaryFolders(options.temporaryMb),
    ...limitArguments(options.limits),
    ...readable.flatMap((path) => bind(path, path, true)),
    ...bind(workspace, workspace, !spec.writable),
    ...presentMounts(protection).flatMap(({ path, writable }) => bind(path, path, !writable)),
    ...hidden.flatMap(cover),
    ...(egress ? bind(egress.socket, proxySocket, true) : []),
    ...variables.flatMap((variable) => ["--env", variable]),
    ...["--entrypoint", "/bin/sh", image, "-c", launcher(egress?.relay ?? []), "sh"],
    ...[String(variables.length), env.PATH ?? "", options.token, ...argv],
  ];
}

/** All that is writable outside the workspace has a size, also what an engine would add of its own to a read-only root. */
function temporaryFolders(megabytes: number): string[] {
  const folders = { "/tmp": `exec,mode=1777,size=${megabytes}m`, "/var/tmp": "mode=1777,size=16m", "/run": "mode=755,size=1m" };
  return Object.entries(folders).flatMap(([path, options]) => ["--tmpfs", `${path}:rw,nosuid,nodev,${options}`]);
}

function bind(source: string, target: string, readOnly: boolean): string[] {
  for (const path of [source, target])
    if (/[,"\n]/.test(path))
      throw new ToolwrightError("spawn_failed", `The folder ${JSON.stringify(path)} cannot be mounted: its name holds a comma or a quote.`);
  return ["--mount", `type=bind,source=${source},target=${target}${readOnly ? ",readonly" : ""}`];
}

/** The engine may be another machine, which has no file of ours that is empty; it has /dev/null. */
function cover({ path, isFolder }: HiddenPath): string[] {
  if (!isFolder) return bind("/dev/null", path, true);
  if (/[:,\n]/.test(path))
    throw new ToolwrightError("spawn_failed", `The folder ${JSON.stringify(path)} cannot be hidden: its name holds a colon or a comma.`);
  return ["--tmpfs", `${path}:ro,nosuid,nodev,noexec,size=4k,mode=555`];
}

const mebibyte = 1024 * 1024;

export function limitArguments(limits: ResourceLimits): string[] {
  const { memoryMb, cpuPercent, processes, fileSizeMb, openFiles } = limits;
  const memory = `${Math.round((memoryMb ?? 0) * mebibyte)}b`;
  return [
    ...["--ulimit", "core=0:0"],
    ...(memoryMb === undefined ? [] : ["--memory", memory, "--memory-swap", memory]),
    ...(cpuPercent === undefined || cpuPercent >= processors * 100 ? [] : ["--cpus", String(cpuPercent / 100)]),
    ...(processes === undefined ? [] : ["--pids-limit", String(Math.floor(processes))]),
    ...(fileSizeMb === undefined ? [] : ["--ulimit", `fsize=${Math.floor(fileSizeMb * mebibyte)}:${Math.floor(fileSizeMb * mebibyte)}`]),
    ...(openFiles === undefined ? [] : ["--ulimit", `nofile=${Math.floor(openFiles)}:${Math.floor(openFiles)}`]),
  ];
}

/** The network of a container that a policy may ask for: the host's would be the host's loopback too (R-SB-5). */
export const containerNetworks: readonly ProcessSpec["network"][] = process.platform === "linux" ? ["none", "filtered"] : ["none"];
