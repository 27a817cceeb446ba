import type { HostAndPort } from "@toolwright/commands/targets";
import type { Anomaly, HostTraffic } from "@toolwright/engine";

/** Why a target was not reached: 403 where the policy refuses it, 502 where it does not answer. */
export interface Refusal {
  readonly status: 403 | 502;
  /** What was refused, why, and what would permit it. */
  readonly sentence: string;
}

export interface EgressReport {
  readonly traffic: readonly HostTraffic[];
  readonly anomalies: readonly Anomaly[];
}

type Entry = { -readonly [Name in keyof HostTraffic]: HostTraffic[Name] };

const maxHosts = 200;
const maxShown = 5;
/** Where hosts are counted once there are too many of them to name. */
const rest = { host: "(other hosts)", port: 0 };

export function showTarget({ host, port }: HostAndPort): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** What one run asked of the network. Bounded, because the run chooses the names. */
export class TrafficLog {
  readonly #entries = new Map<string, Entry>();
  readonly #refusals = new Map<string, string>();
  readonly #notes = new Set<string>();
  #unnamed = 0;
  /** Bytes of all hosts in both directions. */
  bytes = 0;

  entry(target: HostAndPort): Entry {
    const key = showTarget(target);
    const found = this.#entries.get(key);
    if (found) return found;
    if (this.#entries.size >= maxHosts && target !== rest) return this.entry(rest);
    const { host, port } = target;
    const entry: Entry = { host, port, allowed: 0, refused: 0, sent: 0, received: 0 };
    this.#entries.set(key, entry);
    return entry;
  }

  count(target: HostAndPort, direction: "sent" | "received", bytes: number): void {
    this.entry(target)[direction] += bytes;
    this.bytes += bytes;
  }

  /** Counts what was not reached, and keeps why the policy refused it. */
  refuse(target: HostAndPort, { status, sentence }: Refusal): void {
    this.entry(target).refused++;
    const key = showTarget(target);
    if (status !== 403 || this.#refusals.has(key)) return;
    if (this.#refusals.size < maxShown) this.#refusals.set(key, sentence);
    else this.#unnamed++;
  }

  /** Something else that held the run back; said once. */
  note(sentence: string): void {
    this.#notes.add(sentence);
  }

  /** Hosts that the run was connected to. */
  reached(): readonly string[] {
    return [...this.#entries.values()].filter(({ allowed }) => allowed > 0).map((entry) => showTarget(entry));
  }

  report(): EgressReport {
    const more = this.#unnamed > 0 ? [`${this.#unnamed} more requests to other hosts were refused.`] : [];
    const message = [...this.#refusals.values(), ...more, ...this.#notes].join(" ");
    return {
      traffic: [...this.#entries.values()],
      anomalies: message === "" ? [] : [{ kind: "network_refused", message }],
    };
  }
}
