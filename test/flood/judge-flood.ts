import type { FloodKind } from "./flood-kinds.ts";

/** What was seen of a server for some seconds. Times are milliseconds, counted from when a request was due. */
export interface Probed {
  readonly read: { readonly p50: number; readonly p95: number; readonly count: number; readonly failed: number };
  readonly health: { readonly most: number; readonly count: number; readonly failed: number };
  /** The longest that the measuring thread itself was late. */
  readonly ownDelayMs: number;
}

export interface Flooded extends Probed {
  /** How often each answer came to the flood. */
  readonly answers: Readonly<Record<string, number>>;
}

/** Reads without a flood, at least: fewer tell nothing of the slowest twentieth. */
export const leastQuietReads = 200;
const mostHealthMs = 250;
/** Limit of reads where twice the quiet time is less. */
const leastReadMs = 50;

/** Milliseconds that 95 of 100 reads may take beside a flood. Throws where the quiet time tells too little to compare with. */
export function limitOfReads({ read, health }: Probed): number {
  if (read.count < leastQuietReads || read.failed + health.failed > 0)
    throw new Error(`The quiet time has ${read.count} reads, of which ${read.failed} failed, and needs ${leastQuietReads} that succeed.`);
  return Math.max(leastReadMs, 2 * read.p95);
}

/** What speaks against a flood: that the other tenant was kept waiting, or that it was no flood. Empty where all is well. */
export function faultsOf(kind: Pick<FloodKind, "reached" | "heldBack" | "least">, flooded: Flooded, limitMs: number): readonly string[] {
  const { read, health, answers } = flooded;
  const count = (isCounted: (answer: string) => boolean) =>
    Object.entries(answers).reduce((sum, [answer, times]) => sum + (isCounted(answer) ? times : 0), 0);
  const reached = count((answer) => kind.reached.includes(answer));
  const unexpected = count((answer) => !kind.reached.includes(answer) && !kind.heldBack?.includes(answer));
  const faults: readonly (readonly [isFault: boolean, words: string])[] = [
    [read.count === 0 || health.count === 0, "nothing was measured"],
    [read.failed > 0, `${read.failed} reads failed`],
    [health.failed > 0, `${health.failed} requests of /healthz failed`],
    [read.p95 > limitMs, `file_read p95 is over ${limitMs} ms`],
    [health.most > mostHealthMs, `/healthz took over ${mostHealthMs} ms`],
    [reached < kind.least, `no flood: ${reached} requests reached it, of at least ${kind.least}`],
    [unexpected > 0, `no flood: ${unexpected} answers are not what it expects`],
  ];
  return faults.flatMap(([isFault, words]) => (isFault ? [words] : []));
}
