import { closeSync, openSync, readlinkSync, readSync } from "node:fs";
import { findNearest } from "./process-tree.ts";

/** What the kernel counts in a network namespace when a packet has no way out, or a question nobody who answers: connections and look-ups of names. */
const counted: readonly (readonly [file: string, names: readonly (readonly [protocol: string, name: string])[]])[] = [
  [
    "snmp",
    [
      ["Ip", "OutNoRoutes"],
      ["Udp", "NoPorts"],
    ],
  ],
  [
    "snmp6",
    [
      ["", "Ip6OutNoRoutes"],
      ["", "Udp6NoPorts"],
    ],
  ],
];

/** The counters of a run's own network. They stay readable after its last process has ended, while this holds them open. */
export class NetworkCounters {
  readonly #files: readonly { readonly descriptor: number; readonly names: readonly (readonly [string, string])[] }[];
  readonly #before: number;

  private constructor(pid: number) {
    this.#files = counted.flatMap(([file, names]) => {
      const descriptor = openIfThere(`/proc/${pid}/net/${file}`);
      return descriptor === undefined ? [] : [{ descriptor, names }];
    });
    this.#before = this.#sum();
  }

  /** Undefined where the run has no network of its own below the leader. */
  static below(leader: number | undefined): NetworkCounters | undefined {
    const pid = leader === undefined ? undefined : findOwnNetwork(leader);
    return pid === undefined ? undefined : new NetworkCounters(pid);
  }

  /** True when the run tried to reach something that its network does not lead to. Lets go of the counters. */
  conclude(): boolean {
    const tried = this.#sum() > this.#before;
    for (const { descriptor } of this.#files) closeSync(descriptor);
    return tried;
  }

  #sum(): number {
    return this.#files.flatMap(({ descriptor, names }) => readCounters(descriptor, names)).reduce((total, each) => total + each, 0);
  }
}

/** Nearest at or below the leader with another network than this process. */
function findOwnNetwork(leader: number): number | undefined {
  const own = networkOf("self");
  return findNearest(leader, (pid) => {
    const network = networkOf(String(pid));
    return own !== undefined && network !== undefined && network !== own;
  });
}

function networkOf(process: string): string | undefined {
  try {
    return readlinkSync(`/proc/${process}/ns/net`);
  } catch {
    return undefined;
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch {
    return undefined;
  }
}

/** `snmp` has two lines a protocol, names and values; `snmp6` a line for each. */
function readCounters(descriptor: number, names: readonly (readonly [string, string])[]): number[] {
  const buffer = Buffer.alloc(16 * 1024);
  const lines = buffer.toString("latin1", 0, readSync(descriptor, buffer, 0, buffer.length, 0)).split("\n");
  return names.map(([protocol, name]) => {
    if (protocol === "") return Number(lines.find((line) => line.startsWith(name))?.split(/\s+/)[1] ?? 0);
    const [titles = "", values = ""] = lines.filter((line) => line.startsWith(`${protocol}:`));
    return Number(values.split(" ")[titles.split(" ").indexOf(name)] ?? 0);
  });
}
