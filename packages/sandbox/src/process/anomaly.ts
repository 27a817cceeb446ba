import type { Anomaly, NetworkAccess } from "@toolwright/engine";
import type { LaunchEnd } from "./launch-request.ts";

interface OutputSign {
  readonly kind: Anomaly["kind"];
  readonly texts: readonly string[];
  readonly message: string;
}

/** What programs print when the kernel refuses them something that the run does not have. */
const networkSign: OutputSign = {
  kind: "network_refused",
  texts: [
    "ENETUNREACH",
    "EAI_AGAIN",
    "Network is unreachable",
    "network is unreachable",
    "Could not resolve host",
    "Temporary failure in name resolution",
    "Temporary failure resolving",
  ],
  message: "The command tried to reach the network, which this run does not have.",
};
const filteredSign: OutputSign = {
  ...networkSign,
  message: "The command tried to reach the network directly; this run has only the proxy that HTTP_PROXY and HTTPS_PROXY name.",
};
const fileSizeSign: OutputSign = {
  kind: "file_size_limit",
  texts: ["File too large", "EFBIG", "File size limit exceeded"],
  message: "A file reached the size limit of this run.",
};
const processSign: OutputSign = {
  kind: "process_limit",
  texts: ["fork: retry: Resource temporarily unavailable", "Cannot fork", "fork: Resource temporarily unavailable", "spawn EAGAIN"],
  message: "A process could not be started: the run reached its limit of processes.",
};
const seccompSign: OutputSign = {
  kind: "seccomp",
  texts: ["Bad system call"],
  message: "A program made a system call that the sandbox kills for.",
};

const signsByNetwork: Readonly<Record<NetworkAccess, readonly OutputSign[]>> = { none: [networkSign], filtered: [filteredSign], host: [] };

const scannedBytes = 1024 * 1024;
const overlap = 64;

/** Looks for signs in the first MiB of each stream; a sign may be cut by a chunk's end. */
export class OutputSigns {
  readonly #signs: readonly OutputSign[];
  readonly #found = new Map<Anomaly["kind"], Anomaly>();
  readonly #streams = { stdout: { seen: 0, tail: "" }, stderr: { seen: 0, tail: "" } };

  constructor(network: NetworkAccess) {
    this.#signs = [...signsByNetwork[network], fileSizeSign, processSign, seccompSign];
  }

  scan(stream: "stdout" | "stderr", chunk: Buffer): void {
    const state = this.#streams[stream];
    if (state.seen >= scannedBytes) return;
    state.seen += chunk.length;
    const text = state.tail + chunk.toString("latin1");
    for (const { kind, texts, message } of this.#signs)
      if (!this.#found.has(kind) && texts.some((sign) => text.includes(sign))) this.#found.set(kind, { kind, message });
    state.tail = text.slice(-overlap);
  }

  /** All anomalies of an ended run (X9), each kind once. */
  conclude(end: LaunchEnd, signal: string | null): readonly Anomaly[] {
    const add = (when: boolean, kind: Anomaly["kind"], message: string) => {
      if (when && !this.#found.has(kind)) this.#found.set(kind, { kind, message });
    };
    add(end.memoryLimitHit, "memory_limit", "A process was killed because the run reached its memory limit.");
    add(end.processLimitHit, "process_limit", "The run reached its limit of processes, so one could not be started or the run was ended.");
    add(end.cpuLimitHit, "cpu_limit", "The run was held back by its CPU limit for most of its time.");
    add(end.writtenLimitHit, "written_limit", "The run was ended because it had written more to disks than it may.");
    add(signal === "SIGXFSZ", fileSizeSign.kind, fileSizeSign.message);
    add(signal === "SIGSYS", seccompSign.kind, seccompSign.message);
    const were = end.leftovers === 1 ? "1 process was" : `${end.leftovers} processes were`;
    add(end.leftovers > 0, "leftover_processes", `${were} still running when the command ended, and killed.`);
    return [...this.#found.values()];
  }
}
