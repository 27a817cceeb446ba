import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take longest, mostly by waiting, longest first. A clone has no record of durations: begun last, they would run alone while the
 * processors idle.
 */
const longest: readonly string[] = [
  "doors/src/testing/door-conformance.test.ts",
  "test/e2e/examples.test.ts",
  "test/e2e/canary.test.ts",
  "test/e2e/faults.test.ts",
  "test/e2e/console/approvals.browser.test.ts",
  "test/e2e/approvals-restart.test.ts",
  "sandbox/src/drivers/bwrap.integration.test.ts",
  "sandbox/src/drivers/host.integration.test.ts",
  "commands/serve/auth/oauth.integration.test.ts",
  "jobs/worker/handover.integration.test.ts",
  "postgres/src/database/connections.integration.test.ts",
  "test/integration/browser/hostile.integration.test.ts",
  "test/integration/agents/killed-turn.integration.test.ts",
  "test/integration/browser/ends.integration.test.ts",
  "postgres/src/recovery/full-disk.integration.test.ts",
  "cli/src/doors/doors-of-builtin-tools.integration.test.ts",
  "jobs/worker/two-workers.integration.test.ts",
  "test/integration/killed-while-waiting.integration.test.ts",
  "cli/src/commands/jobs/jobs.integration.test.ts",
];

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
