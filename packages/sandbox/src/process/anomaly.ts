import { constants } from "node:os";
import type { Anomaly, NetworkAccess } from "@toolwright/engine";
import type { LaunchEnd } from "./launch-request.ts";

const networkMissed: Readonly<Record<NetworkAccess, string>> = {
  none: "The command tried to reach the network, which this run does not have.",
  filtered: "The command tried to reach the network directly; this run has only the proxy that HTTP_PROXY and HTTPS_PROXY name.",
  host: "The command tried to reach something that its network does not lead to.",
};

/**
 * All anomalies of an ended run, each kind once. They come from the kernel, the sandbox and how the run ended; what a program prints
 * says nothing about them, since it may print anything.
 */
export function concludeAnomalies(end: LaunchEnd, signal: string | null, network: NetworkAccess): readonly Anomaly[] {
  const found: Anomaly[] = [];
  const add = (when: boolean, kind: Anomaly["kind"], message: string) => {
    if (when) found.push({ kind, message });
  };
  add(end.networkMissed, "network_refused", networkMissed[network]);
  add(end.memoryLimitHit, "memory_limit", "A process was killed because the run reached its memory limit.");
  add(end.processLimitHit, "process_limit", "The run reached its limit of processes, so one could not be started or the run was ended.");
  add(end.cpuLimitHit, "cpu_limit", "The run was held back by its CPU limit for most of its time.");
  add(end.writtenLimitHit, "written_limit", "The run was ended because it had written more to disks than it may.");
  // A shell ends with 128 and the number of the signal that ended its command.
  const endedBy = (name: "SIGXFSZ" | "SIGSYS") => signal === name || end.exitCode === 128 + constants.signals[name];
  add(endedBy("SIGXFSZ"), "file_size_limit", "A file reached the size limit of this run.");
  add(endedBy("SIGSYS"), "seccomp", "A program made a system call that the sandbox kills for.");
  const were = end.leftovers === 1 ? "1 process was" : `${end.leftovers} processes were`;
  add(end.leftovers > 0, "leftover_processes", `${were} still running when the command ended, and killed.`);
  return found;
}
