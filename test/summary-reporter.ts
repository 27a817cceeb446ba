// What `npm test` says of a step in a line each: counts, the tests that failed, the tests that passed only when tried again.
import { writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

export interface Summary {
  passed: number;
  failed: number;
  skipped: number;
  /** "file > suite > test: message", the message in one line. */
  failures: string[];
  /** Passed at a second attempt: something depends on chance and is to be looked at. */
  flaky: string[];
}

const longestMessage = 300;

/** Writes a `Summary` as JSON to the file that TOOLWRIGHT_TEST_SUMMARY names. */
export default class SummaryReporter implements Reporter {
  readonly #summary: Summary = { passed: 0, failed: 0, skipped: 0, failures: [], flaky: [] };

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state === "pending") return;
    this.#summary[state] += 1;
    if (state === "failed") this.#summary.failures.push(`${whereOf(test)}: ${inOneLine(errors)}`);
    const diagnostic = test.diagnostic();
    if (diagnostic?.flaky) this.#summary.flaky.push(`${whereOf(test)}: ${inOneLine(errors)}`);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly { message?: string }[]): void {
    for (const module of modules) {
      for (const suite of [module, ...module.children.allSuites()]) {
        const errors = suite.errors();
        if (errors.length > 0) this.#summary.failures.push(`${module.relativeModuleId}: ${inOneLine(errors)}`);
      }
    }
    if (unhandled.length > 0) this.#summary.failures.push(`outside of a test: ${inOneLine(unhandled)}`);
    const file = process.env.TOOLWRIGHT_TEST_SUMMARY;
    if (file !== undefined) writeFileSync(file, JSON.stringify(this.#summary));
  }
}

function whereOf(test: TestCase): string {
  return `${test.module.relativeModuleId} > ${test.fullName}`;
}

function inOneLine(errors: readonly { message?: string }[] | undefined): string {
  const message = (errors ?? []).map((error) => error.message ?? "no message").join(" | ");
  return message.replaceAll(/\s+/g, " ").slice(0, longestMessage);
}
