import type { CheckArea, ConformanceCase, RuntimeCheck, RuntimeFixture } from "./runtime/conformance-run.ts";
import { endChecks } from "./runtime/end-checks.ts";
import { isolationChecks } from "./runtime/isolation-checks.ts";
import { limitChecks } from "./runtime/limit-checks.ts";
import { runChecks } from "./runtime/run-checks.ts";

export type { ConformanceCase, RuntimeFixture } from "./runtime/conformance-run.ts";

const checks: readonly RuntimeCheck[] = [...runChecks, ...endChecks, ...isolationChecks, ...limitChecks];

/** What an adapter does not promise, each with the reason; by area (`{ network: "there is no isolation" }`) or by the name of one check. */
export type RuntimeGaps = Readonly<Partial<Record<CheckArea, string>> & Record<string, string>>;

/**
 * The law of `SandboxRuntime` as cases for any test framework. Needs Linux, bash and Node on the machine. `make` may give every case the same
 * runtime, but where `own` is true one that the case may close.
 */
export function runtimeConformance(
  make: (needs: { readonly own: boolean }) => Promise<RuntimeFixture>,
  gaps: RuntimeGaps = {},
): readonly ConformanceCase[] {
  const known = new Set(checks.flatMap(({ name, area }) => [name, area]));
  const unknown = Object.keys(gaps).find((key) => !known.has(key));
  if (unknown !== undefined) throw new TypeError(`There is no check and no area "${unknown}".`);
  return checks.map(({ name, area, closesRuntime = false, run }) => ({
    name,
    ...skipFor(gaps[name] ?? gaps[area]),
    async run() {
      const fixture = await make({ own: closesRuntime });
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
