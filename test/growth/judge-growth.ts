import { type Size, sizes } from "./shapes.ts";

/** Milliseconds of the serving thread for an input of each size; sizes above one that took very long are left out. */
export type Times = Readonly<Partial<Record<Size, number>>>;

/** Milliseconds that no input may take when its time grows faster than it. */
export const mostMs = 250;
/** Times that twice the input may take: the third above twice is what a busy machine adds. */
const mostGrowth = 2.6;
/** The same for four times the input. */
const mostGrowthTwice = 6;

const ratio = (times: Times, larger: Size, smaller: number) =>
  (times[larger] ?? 0) / Math.max(times[smaller as Size] ?? Number.POSITIVE_INFINITY, 1);

function largestOf(times: Times): Size {
  return sizes.findLast((size) => times[size] !== undefined) ?? 1;
}

/** True where the largest input passes the bound and took more than its share of what half of it, or a quarter of it, took. */
export function growsTooFast(times: Times): boolean {
  const largest = largestOf(times);
  if ((times[largest] ?? 0) <= mostMs) return false;
  return ratio(times, largest, largest / 2) > mostGrowth || ratio(times, largest, largest / 4) > mostGrowthTwice;
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
