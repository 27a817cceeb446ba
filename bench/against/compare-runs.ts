/** Figures of one row in the runs of both sides. */
export interface Compared {
  readonly name: string;
  readonly unit: string;
  readonly now: number;
  readonly before: number;
  /** Times as long as before; above 1 is slower, for speeds too. */
  readonly ratio: number;
  /** The smallest and the largest such ratio of two runs that followed each other. */
  readonly spread: readonly [smallest: number, largest: number];
  readonly isSlower: boolean;
}

/** What a benchmark prints of each row, as far as it is compared. */
type Run = readonly { readonly name: string; readonly ours: number; readonly unit: string }[];

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** A tenth slower is what two runs of the same sources may differ by. */
const tolerated = 1.1;

/** Compares runs of both sides, of which the ones at the same place followed each other. Rows that one side lacks are left out. */
export function compareRuns(now: readonly Run[], before: readonly Run[]): readonly Compared[] {
  const [first = []] = now;
  return first.flatMap(({ name, unit }) => {
    const figures = (runs: readonly Run[]) => runs.flatMap((run) => run.find((row) => row.name === name)?.ours ?? []);
    const [ours, theirs] = [figures(now), figures(before)];
    if (ours.length !== now.length || theirs.length !== before.length) return [];
    // Of a speed, more is better.
    const isSpeed = /\/s\b/.test(unit);
    const slowness = (figure: number) => (isSpeed ? 1 / figure : figure);
    const ratios = ours.map((figure, run) => slowness(figure) / slowness(theirs[run] ?? Number.NaN));
    const ratio = slowness(median(ours)) / slowness(median(theirs));
    const isApart = Math.min(...ours.map(slowness)) > Math.max(...theirs.map(slowness));
    const spread = [Math.min(...ratios), Math.max(...ratios)] as const;
    return [{ name, unit, now: median(ours), before: median(theirs), ratio, spread, isSlower: ratio > tolerated && isApart }];
  });
}
