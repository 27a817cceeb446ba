import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LongFilesFirst } from "./test/long-files-first.ts";

// Workers get these as Node's own conditions: "import" among them would break packages that require one another, and "module" leads to files that
// are for bundlers alone.
const conditions = ["@toolwright/source", "node"];

/** Tests of real processes on a busy machine get a second attempt, and `npm test` names those that needed it. Attacks get none: once is enough for them. */
const secondAttempt = 1;

/** unit: beside the code, no sockets. integration: real processes, files, sockets. e2e: the product from outside. attacks: what must not work. */
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    pool: "forks",
    // Most of what tests make is gone at once. With little room for what is new, half of it is copied before: a seventh of the processor time.
    execArgv: ["--min-semi-space-size=32", "--max-semi-space-size=64"],
    // Most of these tests wait for processes and databases: two workers on two cores would leave both idle now and then.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongFilesFirst },
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is polled is there at once on an idle machine, and later on a busy one.
    expect: { poll: { timeout: 15_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "web/src/**/*.test.ts", "scripts/**/*.test.ts", "test/*.test.ts"],
          exclude: ["**/*.integration.test.ts", "**/node_modules/**"],
          // They change nothing that outlives them, so a file needs no process of its own: half of the time was loading.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          isolate: false,
          retry: secondAttempt,
          globalSetup: ["test/prepare-memory.ts", "test/prepare-databases.ts"],
          testTimeout: 120_000,
          hookTimeout: 240_000,
          include: ["packages/*/src/**/*.integration.test.ts", "test/integration/**/*.integration.test.ts"],
          // Imports files by Node's own loader and its hooks, which the test runner's module loader would stand in for.
          server: { deps: { external: [/tool-folder\/module-hooks\.ts/] } },
        },
      },
      {
        extends: true,
        test: {
          name: "e2e",
          // What they test runs in processes of its own.
          isolate: false,
          retry: secondAttempt,
          globalSetup: ["test/prepare-memory.ts", "test/prepare-console.ts", "test/prepare-databases.ts"],
          testTimeout: 180_000,
          hookTimeout: 240_000,
          include: ["test/e2e/**/*.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "attacks",
          // Most of them load the whole product, which takes as long as what they do with it.
          isolate: false,
          globalSetup: ["test/prepare-memory.ts", "test/prepare-databases.ts"],
          testTimeout: 180_000,
          hookTimeout: 240_000,
          include: ["test/attacks/*.attack.ts"],
          server: { deps: { external: [/tool-folder\/module-hooks\.ts/] } },
        },
      },
    ],
  },
});
