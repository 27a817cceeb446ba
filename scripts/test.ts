// Runs every check, one line each, and shows the whole output of what failed: `npm test`.
// With names runs only those: `npm test -- unit e2e`.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Summary } from "../test/summary-reporter.ts";

interface Step {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
  /** It fills the processors by workers of its own: two such steps at once have the tests of both run out of time. */
  readonly hasWorkers?: boolean;
  /** Reads counts and what is to be looked at out of what the step wrote. */
  readonly read: (output: string) => Findings;
}

interface Findings {
  readonly counts: string;
  /** A line each: tests that failed, or passed only at a second attempt. */
  readonly lines?: readonly string[];
}

interface Outcome extends Findings {
  readonly passed: boolean;
  readonly output: string;
  readonly seconds: number;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "toolwright-test-"));
const binary = (name: string) => join(root, "node_modules", ".bin", name);
const minutesPerStep = 40;

/** Processes for tests that wait for databases most of their time. More of them on two cores have each other run out of time. */
const waitingWorkers = Math.max(3, availableParallelism());
/** One with workers and one without: the latter leave processors idle. */
const stepsAtOnce = 2;

/** Each checker of the compiler finds out anew what others know: its usual four take twice the processor time of one. */
const oneChecker = ["--checkers", "1"];

/** In the order in which they begin: short ones first that others need or that fail first, then the longest. */
const steps: readonly Step[] = [
  { name: "types", argv: [binary("tsc"), "--noEmit", "-p", "tsconfig.json", ...oneChecker], read: () => ({ counts: "" }) },
  programStep("console", "scripts/console.ts"),
  { name: "lint", argv: [binary("biome"), "check", "--error-on-warnings", "."], read: filesOfBiome },
  // Each of its workers has servers, browsers and commands of its own.
  vitestStep("e2e", Math.max(2, availableParallelism())),
  vitestStep("integration", waitingWorkers),
  vitestStep("attacks"),
  programStep("conformance", "test/conformance/run.ts"),
  programStep("openapi", "test/openapi/run.ts"),
  programStep("pack", "test/pack/run.ts", "--short"),
  vitestStep("unit"),
];

process.exitCode = await runAll(chooseSteps(process.argv.slice(2)));
rmSync(temporary, { recursive: true, force: true });

async function runAll(chosen: readonly Step[]): Promise<number> {
  const failed: string[] = [];
  const startedAt = performance.now();
  const waiting = [...chosen];
  let isFilled = false;
  // Without a step that fits, one with workers is under way, and goes on with the others of its kind.
  const takeNext = () => {
    const at = waiting.findIndex(({ hasWorkers }) => !hasWorkers || !isFilled);
    return at === -1 ? undefined : waiting.splice(at, 1)[0];
  };
  const runNext = async () => {
    for (let step = takeNext(); step !== undefined; step = takeNext()) {
      isFilled ||= step.hasWorkers === true;
      if (!tell(step.name, await runStep(step))) failed.push(step.name);
      if (step.hasWorkers) isFilled = false;
    }
  };
  await Promise.all(Array.from({ length: stepsAtOnce }, runNext));
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    failed.length === 0
      ? `\nAll passed in ${seconds} s.`
      : `\nFailed: ${failed.join(", ")} (${seconds} s). Run one alone: npm test -- ${failed[0]}`,
  );
  return failed.length === 0 ? 0 : 1;
}

/** One line, more for what is to be looked at, and all that a step said which failed. True when it passed. */
function tell(name: string, { passed, counts, seconds, lines = [], output }: Outcome): boolean {
  console.log(`${passed ? "passed" : "FAILED"}  ${name.padEnd(16)} ${counts.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s`);
  for (const line of lines) console.log(`        ${line}`);
  if (!passed) console.log(`\n${output}\n`);
  return passed;
}

function chooseSteps(names: readonly string[]): readonly Step[] {
  const known = steps.map((step) => step.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    console.error(`There is no check named "${unknown}". There are: ${known.join(", ")}.`);
    process.exit(2);
  }
  return names.length === 0 ? steps : steps.filter((step) => names.includes(step.name));
}

function vitestStep(name: string, workers?: number): Step {
  const summaryFile = join(temporary, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=./test/summary-reporter.ts"];
  const options = workers === undefined ? reporters : [`--maxWorkers=${workers}`, ...reporters];
  return {
    name,
    hasWorkers: true,
    argv: [binary("vitest"), "run", "--project", name, ...options],
    environment: { TOOLWRIGHT_TEST_SUMMARY: summaryFile },
    read: () => readSummary(summaryFile),
  };
}

/** A program of its own, which prints a line "=== name: passed" or "=== name: FAILED" for each of its parts. */
function programStep(name: string, file: string, ...options: readonly string[]): Step {
  return { name, argv: [process.execPath, "--conditions=@toolwright/source", join(root, file), ...options], read: countParts };
}

function runStep(step: Step): Promise<Outcome> {
  const startedAt = performance.now();
  const chunks: Buffer[] = [];
  const [program, ...args] = step.argv;
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: minutesPerStep * 60_000,
    env: { ...quietEnvironment(), ...step.environment },
  });
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve) => {
    const finish = (passed: boolean, words: string) => {
      const output = Buffer.concat(chunks).toString() + words;
      resolve({ passed, output, ...step.read(output), seconds: (performance.now() - startedAt) / 1000 });
    };
    child.on("error", (error) => finish(false, `\n${program}: ${error.message}. Run node scripts/setup.mjs --test.`));
    child.on("close", (code, signal) => finish(code === 0, signal ? `\nEnded by ${signal}; the limit is ${minutesPerStep} minutes.` : ""));
  });
}

/** Compiled code is kept for the run's many processes, attacks, examples and kinds of stores run short, and the pinned Node is first, as under npm: the programs of `node_modules/.bin` start with whatever `node` is on the PATH. */
function quietEnvironment(): NodeJS.ProcessEnv {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  return {
    ...process.env,
    PATH: path,
    NO_COLOR: "1",
    FORCE_COLOR: undefined,
    CI: "1",
    TOOLWRIGHT_ATTACKS: "short",
    TOOLWRIGHT_EXAMPLES: "short",
    TOOLWRIGHT_STORES: "short",
    NODE_COMPILE_CACHE: join(temporary, "compiled"),
  };
}

function readSummary(file: string): Findings {
  if (!existsSync(file)) return { counts: "no report" };
  const summary = JSON.parse(readFileSync(file, "utf8")) as Summary;
  const { passed, failed, skipped, flaky, failures } = summary;
  const parts = [
    `${passed} tests`,
    failed > 0 ? `${failed} failed` : "",
    skipped > 0 ? `${skipped} skipped` : "",
    flaky.length > 0 ? `${flaky.length} flaky` : "",
  ];
  return {
    counts: parts.filter(Boolean).join(", "),
    lines: [...failures.map((line) => `failed: ${line}`), ...flaky.map((line) => `passed at a second attempt: ${line}`)],
  };
}

function filesOfBiome(output: string): Findings {
  return { counts: /Checked (\d+ files)/.exec(output)?.[1] ?? "" };
}

function countParts(output: string): Findings {
  const all = [...output.matchAll(/^=== (.*): (passed|FAILED)$/gm)];
  const failed = all.filter((part) => part[2] === "FAILED").map((part) => `failed: ${part[1]}`);
  return { counts: `${all.length - failed.length} of ${all.length} parts`, lines: failed };
}
