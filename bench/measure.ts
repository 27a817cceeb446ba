import { measure } from "mitata";

/** One line of a benchmark's answer. `ratio` is ours divided by the peer's, for the unit in which smaller is better, or the other way round for rates. */
export interface Row {
  readonly name: string;
  readonly ours: number;
  readonly peer: number;
  readonly peerName: string;
  readonly ratio: number;
  readonly unit: string;
  /** In words, e.g. "at most 10 µs". */
  readonly target: string;
  readonly holds: boolean;
}

export interface Benchmark {
  measure(): Promise<readonly Row[]>;
}

const rounds = 5;

/** The p50 of each function in its least disturbed of several interleaved rounds, in nanoseconds: what else runs on the machine hits all alike. */
export async function typicalTimes<Name extends string>(functions: Record<Name, () => unknown>): Promise<Record<Name, number>> {
  const names = Object.keys(functions) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const { p50 } = await measure(functions[name], { min_cpu_time: 300_000_000 });
      times.get(name)?.push(p50);
    }
  }
  return Object.fromEntries(names.map((name) => [name, Math.min(...(times.get(name) ?? []))])) as Record<Name, number>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
