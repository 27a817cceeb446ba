import { measure } from "mitata";

/** One line of a benchmark's answer. `ratio` is ours divided by the peer's. */
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

const rounds = 7;

/** The p50 of each function in each of several interleaved rounds, in nanoseconds: what else runs on the machine hits all alike. */
export async function timeRounds<Name extends string>(functions: Record<Name, () => unknown>): Promise<Record<Name, readonly number[]>> {
  const names = Object.keys(functions) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const { p50 } = await measure(functions[name], { min_cpu_time: 200_000_000 });
      times[name].push(p50);
    }
  }
  return times;
}

/** The median of the ratios within each round: both sides were measured at the same time. */
export function medianRatio(ours: readonly number[], peer: readonly number[]): number {
  return median(ours.map((time, round) => time / (peer[round] ?? Number.NaN)));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
