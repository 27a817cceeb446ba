import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createEngine, defaultPolicy, defineTool, type Engine, type EngineOptions, fail, type Principal } from "@toolwright/engine";
import { createRandomIds, type Jobs, silentLogger } from "@toolwright/engine/ports";
import { text } from "@toolwright/engine/testing";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { createPostgresIdempotencyStore } from "../idempotency/postgres-idempotency-store.ts";
import { createPostgresJobs } from "./postgres-jobs.ts";
import { startWorker, type Worker, type WorkerOptions } from "./worker/start-worker.ts";

export const alice: Principal = { tenant: "acme", actor: { kind: "user", id: "alice" }, permissions: [], door: "rest", source: "api" };

export interface Workbench {
  readonly engine: Engine;
  readonly jobs: Jobs;
  /** What the tools did, in order. */
  readonly done: string[];
  /** Lets the tools that wait for it end. */
  release(): void;
  work(options?: Partial<WorkerOptions>): Promise<Worker>;
}

/** An engine with tools that show what happened to them, over a database of its own. Without `stores` its events are kept in memory. */
export function createWorkbench(database: Database, stores: Pick<EngineOptions, "events" | "idempotency" | "visibility"> = {}): Workbench {
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const about = { title: "T", group: "test", input: text, output: text };
  const echo = defineTool({
    ...about,
    name: "echo",
    description: "Gives back its text.",
    effects: {},
    run: ({ text }, { progress }) => {
      progress(1, 2, "half");
      done.push(text);
      return { text };
    },
  });
  const held = defineTool({
    ...about,
    name: "held",
    description: "Waits until it may go on.",
    effects: {},
    run: async ({ text }, { signal }) => {
      done.push(text);
      await Promise.race([gate.promise, aborted(signal)]);
      return { text };
    },
  });
  const parse = defineTool({
    ...about,
    name: "parse",
    description: "Reads its text as JSON.",
    effects: {},
    run: ({ text }) => JSON.parse(text),
  });
  const refuse = defineTool({
    ...parse,
    name: "refuse",
    description: "Refuses its text.",
    run: ({ text }) => fail("refused", `No: ${text}`),
  });
  const heldOnce = defineTool({ ...held, name: "held_once", effects: { destructive: true } });
  const guarded = defineTool({ ...echo, name: "guarded", description: "Wants a permission.", permission: "notes.own.write" });
  const engine = createEngine({
    tools: [echo, held, heldOnce, guarded, parse, refuse, ...markTools],
    idempotency: createPostgresIdempotencyStore(database, { process: "w1" }),
    ...stores,
    policy: [{ tier: "platform", document: { ...defaultPolicy, autonomy: "full" } }],
  });
  const ids = createRandomIds();
  return {
    engine,
    done,
    jobs: createPostgresJobs(database, { ids, now: Date.now }),
    release: gate.resolve,
    work: (options = {}) => startWorker(database, { engine, ids, logger: silentLogger, process: "w1", ...options }),
  };
}

const markTool = (name: string, effects: { destructive: true } | { idempotent: true }, then: (marks: number) => unknown) =>
  defineTool({
    name,
    description: "Adds a line to the file that its text names.",
    input: text,
    output: text,
    effects,
    async run({ text }) {
      appendFileSync(text, "mark\n");
      await then(readMarks(text));
      return { text: "marked" };
    },
  });

/** Tools whose effect outlives their process, which some of them kill right after it. */
const markTools = [
  markTool("mark_slowly", { destructive: true }, () => pause(1_500)),
  markTool("mark_and_die", { destructive: true }, () => process.kill(process.pid, "SIGKILL")),
  markTool("mark_and_die_once", { idempotent: true }, (marks) => marks === 1 && process.kill(process.pid, "SIGKILL")),
  markTool("mark_and_block", { destructive: true }, () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 8_000);
  }),
];

/** How often a tool had its effect. */
export function readMarks(file: string): number {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").length - 1 : 0;
}

const aborted = (signal: AbortSignal) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true }));

/** Polls until the condition holds. */
export async function until<Value>(read: () => Promise<Value> | Value, holds: (value: Value) => boolean, ms = 15_000): Promise<Value> {
  for (const deadline = Date.now() + ms; ; ) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > deadline) throw new Error(`It did not come to pass within ${ms} ms; last: ${JSON.stringify(value)}`);
    await pause(20);
  }
}

/** Another worker on the same server, when it is ready; it is the test's to end. */
export async function startWorkerProcess(url: string, name: string): Promise<ChildProcess> {
  const file = fileURLToPath(new URL("./worker/worker-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=@toolwright/source", file, url, name], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout as NodeJS.ReadableStream, "data");
  return child;
}

/** As a minute without a sign of life from any worker would leave it. */
export async function letTimePass(database: Database): Promise<void> {
  await sql`update pgboss.job set heartbeat_on = heartbeat_on - interval '1 minute'`.execute(database.owner);
  await sql`update toolwright.processes set seen_at = seen_at - interval '1 minute'`.execute(database.owner);
}
