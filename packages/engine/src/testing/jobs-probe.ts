import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import type { Engine } from "../engine-types.ts";
import { defaultPolicy } from "../policy/document/policy-document.ts";
import type { JobRecord, JobState, Jobs, Schedules } from "../ports/jobs.ts";
import { defineTool } from "../tool/define-tool.ts";
import { fail } from "../tool/result.ts";
import { text } from "./probe-tool.ts";

export interface JobsFixture {
  readonly jobs: Jobs;
  readonly schedules: Schedules;
  /** Starts a worker that calls tools of `engine`, by the clock of the place. */
  work(engine: Engine, options?: { readonly tenantConcurrency?: number }): Promise<{ stop(): Promise<void> }>;
  /** Makes the jobs of schedules whose time has come at `at`, and says how many. */
  tick(at: number): Promise<number>;
  readonly cleanup: () => Promise<void>;
}

/** Gives an empty place with the tenants `acme` and `other`, whose jobs and schedules are made by the clock `now`. */
export type OpenJobs = (now: () => number) => Promise<JobsFixture>;

export const ann: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest", source: "api" };
/** Those who must find nothing of Ann's: another tenant, whatever it may there, and another person. */
export const strangers: readonly Principal[] = [
  { ...ann, tenant: "other", permissions: ["jobs:manage"] },
  { ...ann, actor: { kind: "user", id: "bob" } },
];

export interface JobsProbe {
  readonly engine: Engine;
  /** The texts that tools were called with, in order. */
  readonly called: readonly string[];
  /** Lets the calls of `held` end. */
  release(): void;
}

/** An engine with tools that show when they are called, and that end in every way. */
export function createJobsProbe(): JobsProbe {
  const called: string[] = [];
  const gate = Promise.withResolvers<void>();
  const tool = (name: string, run: (given: { text: string }, context: { signal: AbortSignal; progress: Progress }) => unknown) =>
    defineTool({
      name,
      description: "A tool for tests of jobs.",
      input: text,
      output: text,
      effects: {},
      run(given, context) {
        called.push(given.text);
        return run(given, context) as { text: string };
      },
    });
  const counts = new Map<string, number>();
  const flaky = ({ text }: { text: string }) => {
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    if (count < 3) throw new Error("not yet");
    return { text };
  };
  const held = async (given: { text: string }, { signal }: { signal: AbortSignal }) => {
    await Promise.race([gate.promise, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
    return given;
  };
  const echo = (given: { text: string }, { progress }: { progress: Progress }) => {
    progress(1, 2, "half");
    return given;
  };
  const tools = [
    tool("echo", echo),
    tool("held", held),
    tool("flaky", flaky),
    tool("broken", () => fail("broken", "It is broken.")),
    tool("asking", (given) => given),
  ];
  const document = { ...defaultPolicy, autonomy: "full" as const, tools: { ask: ["asking"] } };
  return { engine: createEngine({ tools, policy: [{ tier: "platform", document }] }), called, release: gate.resolve };
}

type Progress = (done: number, total?: number, message?: string) => void;

const over: ReadonlySet<JobState> = new Set(["done", "failed", "denied", "cancelled", "unknown", "skipped"]);

/** Waits until a job is over. */
export function untilOver(jobs: Jobs, { id, principal }: JobRecord): Promise<JobRecord> {
  return untilHolds(
    () => jobs.get(principal, id),
    ({ state }) => over.has(state),
  );
}

/** Polls until the condition holds, for 20 s at most. */
export async function untilHolds<Value>(read: () => Promise<Value> | Value, holds: (value: Value) => boolean): Promise<Value> {
  for (const deadline = Date.now() + 20_000; ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`It did not come to pass within 20 s; last: ${JSON.stringify(value)}`);
  }
}
