/** One case of a conformance suite. Suites know no test framework: loop over them with `it(name, run)`. */
export interface ConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  /** Why the case cannot be run here. */
  readonly skip?: string;
  /** Rejects when the behaviour does not hold. */
  run(): Promise<void>;
}

/** Makes cases that each open a place of their own, of which nothing is left afterwards. */
export function casesOn<Place extends { readonly cleanup: () => Promise<void> }>(open: () => Promise<Place>) {
  return (name: string, check: (place: Place) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      const place = await open();
      try {
        await check(place);
      } finally {
        await place.cleanup();
      }
    },
  });
}

export interface ConformanceOutcome {
  readonly name: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly message?: string;
}

/** Runs cases one after the other. */
export async function runCases(cases: readonly ConformanceCase[]): Promise<readonly ConformanceOutcome[]> {
  const outcomes: ConformanceOutcome[] = [];
  for (const { name, skip, run } of cases) {
    if (skip !== undefined) {
      outcomes.push({ name, status: "skipped", message: skip });
      continue;
    }
    try {
      await run();
      outcomes.push({ name, status: "passed" });
    } catch (error) {
      outcomes.push({ name, status: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  }
  return outcomes;
}
