import type { CheckArea, ConformanceCase, RuntimeCheck, RuntimeFixture } from "./runtime/conformance-run.ts";
import { endChecks } from "./runtime/end-checks.ts";
import { isolationChecks } from "./runtime/isolation-checks.ts";
import { limitChecks } from "./runtime/limit-checks.ts";
import { runChecks } from "./runtime/run-checks.ts";

export type { ConformanceCase, RuntimeFixture } from "./runtime/conformance-run.ts";

const checks: readonly RuntimeCheck[] = [...runChecks, ...endChecks, ...isolationChecks, ...limitChecks];

/** What an adapter does not promise, each with the reason: `{ network: "there is no isolation" }`. */
export type RuntimeGaps = Readonly<Partial<Record<CheckArea, string>>>;

/** The law of `SandboxRuntime` as cases for any test framework. Needs Linux, bash and Node on the machine. */
export function runtimeConformance(make: () => Promise<RuntimeFixture>, gaps: RuntimeGaps = {}): readonly ConformanceCase[] {
  return checks.map(({ name, area, run }) => ({
    name,
    ...(gaps[area] === undefined ? {} : { skip: gaps[area] }),
    async run() {
      const fixture = await make();
      try {
        await run(fixture);
      } finally {
        await fixture.cleanup();
      }
    },
  }));
}
