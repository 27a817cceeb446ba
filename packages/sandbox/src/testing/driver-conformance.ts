import type { CheckArea, ConformanceCase, DriverCheck, DriverFixture } from "./driver/conformance-run.ts";
import { endChecks } from "./driver/end-checks.ts";
import { isolationChecks } from "./driver/isolation-checks.ts";
import { limitChecks } from "./driver/limit-checks.ts";
import { runChecks } from "./driver/run-checks.ts";

export type { ConformanceCase, DriverFixture } from "./driver/conformance-run.ts";

const checks: readonly DriverCheck[] = [...runChecks, ...endChecks, ...isolationChecks, ...limitChecks];

/** What an adapter does not promise, each with the reason; by area (`{ network: "there is no isolation" }`) or by the name of one check. */
export type DriverGaps = Readonly<Partial<Record<CheckArea, string>> & Record<string, string>>;

/**
 * The law of `SandboxDriver` as cases for any test framework. Needs Linux, bash and Node on the machine. `make` may give every case the same
 * driver, but where `own` is true one that the case may close.
 */
export function driverConformance(
  make: (needs: { readonly own: boolean }) => Promise<DriverFixture>,
  gaps: DriverGaps = {},
): readonly ConformanceCase[] {
  const known = new Set(checks.flatMap(({ name, area }) => [name, area]));
  const unknown = Object.keys(gaps).find((key) => !known.has(key));
  if (unknown !== undefined) throw new TypeError(`There is no check and no area "${unknown}".`);
  return checks.map(({ name, area, closesDriver = false, run }) => ({
    name,
    ...skipFor(gaps[name] ?? gaps[area]),
    async run() {
      const fixture = await make({ own: closesDriver });
      try {
        await run(fixture);
      } finally {
        await fixture.cleanup();
      }
    },
  }));
}

function skipFor(reason: string | undefined): Pick<ConformanceCase, "skip"> {
  return reason === undefined ? {} : { skip: reason };
}
