import { createRandomIds, type JobRecord, type JobState, jobStates, visibleText } from "@toolwright/engine/ports";
import type { Toolwright } from "@toolwright/server";
import { CliError } from "../../cli-error.ts";
import { exitCodeOf, exitCodes } from "../../exit-code.ts";
import { readFuture } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { describeJob, describeStart, toJobRow } from "../../output/describe-job.ts";
import { inTenant } from "../../output/in-tenant.ts";
import { printResult } from "../../output/print-result.ts";
import { renderTable } from "../../output/table.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { withToolwright } from "../context/with-toolwright.ts";
import { enqueueAllowed, keeper, maker, prepareJob } from "./job-scope.ts";

interface ListOptions extends TenantOptions {
  readonly state?: readonly string[];
  readonly limit?: string;
}

const withJobs = (io: Io, options: TenantOptions, use: (toolwright: Toolwright) => Promise<number>) =>
  withToolwright(io, { ...options, callsNothing: true }, use);

export function list(io: Io, options: ListOptions): Promise<number> {
  return withJobs(io, options, async ({ store }) => {
    const states = options.state?.map(readState);
    const limit = options.limit === undefined ? undefined : readCount(options.limit, "--limit");
    const jobs = await store.jobs.list(keeper(io, options), { ...(states && { states }), ...(limit !== undefined && { limit }) });
    if (options.json) io.out(`${JSON.stringify(jobs, null, 2)}\n`);
    else if (jobs.length === 0) io.out("There are no such jobs. Make one with: toolwright jobs run TOOL --input JSON\n");
    else io.out(`${renderTable(["id", "state", "tool", "when", "runs", "what"], jobs.map(toJobRow), io.columns)}\n`);
    return exitCodes.done;
  });
}

export function show(io: Io, options: TenantOptions, [id = ""]: readonly string[]): Promise<number> {
  return withJobs(io, options, async ({ store }) => {
    const job = await store.jobs.get(keeper(io, options), id);
    io.out(options.json ? `${JSON.stringify(job, null, 2)}\n` : describeJob(job));
    return exitCodes.done;
  });
}

export function cancel(io: Io, options: TenantOptions & { readonly reason?: string }, [id = ""]: readonly string[]): Promise<number> {
  return withJobs(io, options, async ({ store }) => {
    const job = await store.jobs.cancel(keeper(io, options), id, options.reason);
    if (options.json) io.out(`${JSON.stringify(job, null, 2)}\n`);
    else
      io.err(
        job.isCancelling ? `Its call is being ended: toolwright jobs show ${id}${inTenant(options.tenant)}\n` : `It is ${job.state}.\n`,
      );
    return exitCodes.done;
  });
}

export function redrive(io: Io, options: TenantOptions & { readonly mayRepeat?: boolean }, [id = ""]: readonly string[]): Promise<number> {
  return withJobs(io, options, async ({ store }) => {
    const job = await store.jobs.redrive(keeper(io, options), id, { mayRepeat: options.mayRepeat === true });
    if (options.json) io.out(`${JSON.stringify(job, null, 2)}\n`);
    else io.err("It waits for a worker again, and so does what was skipped for it.\n");
    return exitCodes.done;
  });
}

export function remove(io: Io, options: TenantOptions, ids: readonly string[]): Promise<number> {
  return withJobs(io, options, async ({ store }) => {
    for (const id of ids) {
      await store.jobs.remove(keeper(io, options), id);
      io.err(`Removed ${id}. What it did stays in the log.\n`);
    }
    if (options.json) io.out(`${JSON.stringify({ removed: ids }, null, 2)}\n`);
    return exitCodes.done;
  });
}

interface RunOptions extends TenantOptions {
  readonly input?: string;
  readonly at?: string;
  readonly key?: string;
  readonly session?: string;
  readonly attempts?: string;
  readonly after?: readonly string[];
  readonly allow?: readonly string[];
  readonly wait?: boolean;
}

const day = 24 * 60 * 60 * 1000;

export function run(io: Io, options: RunOptions, [tool = ""]: readonly string[]): Promise<number> {
  return withJobs(io, options, async (toolwright) => {
    const { tenant } = options;
    await refuseSuspended({ principal: maker(io, options) }, toolwright);
    const now = Date.now();
    const runAt = options.at === undefined ? undefined : readFuture(options.at, now);
    const attempts = options.attempts === undefined ? undefined : readCount(options.attempts, "--attempts");
    const session = options.session ?? createRandomIds().next("jobs");
    const terms = { forMs: Math.max((runAt ?? now) - now, 0) + day, maxUses: attempts ?? 3 };
    const { input, allow } = prepareJob(toolwright, io, { tenant, tool, input: options.input, allow: options.allow, session, terms });
    const request = {
      tool,
      input,
      // With a key the same command gives the same job, so nothing in it may be drawn anew.
      ...((options.session !== undefined || options.allow || options.key === undefined) && { session }),
      ...(options.key !== undefined && { idempotencyKey: options.key }),
      ...(runAt !== undefined && { runAt }),
      ...(attempts !== undefined && { retry: { attempts } }),
      ...(options.after && { dependsOn: options.after }),
    };
    const job = await enqueueAllowed(toolwright, io, { request, allow, tenant });
    if (options.wait) return waitFor(toolwright, io, { job, options });
    if (options.json) io.out(`${JSON.stringify(job, null, 2)}\n`);
    else io.out(`${job.id}\n`);
    io.err(describeStart(job, Date.now(), tenant));
    return exitCodes.done;
  });
}

const over: ReadonlySet<JobState> = new Set(["done", "failed", "denied", "cancelled", "unknown", "skipped"]);

interface Awaited {
  readonly job: JobRecord;
  readonly options: RunOptions;
}

async function waitFor({ store }: Toolwright, io: Io, { job, options }: Awaited): Promise<number> {
  const changed = Promise.withResolvers<JobRecord>();
  const look = async () => {
    const now = await store.jobs.get(maker(io, options), job.id);
    if (over.has(now.state)) changed.resolve(now);
  };
  const tryLook = () => void look().catch(changed.reject);
  const stop = store.jobs.follow(maker(io, options).tenant, (id) => (id === undefined || id === job.id) && tryLook());
  // Nobody may be there to tell of changes.
  const timer = setInterval(tryLook, 1_000);
  io.signal.addEventListener(
    "abort",
    () => changed.reject(new CliError(`It goes on without you: toolwright jobs show ${job.id}${inTenant(options.tenant)}`)),
    {
      once: true,
    },
  );
  tryLook();
  try {
    const ended = await changed.promise;
    if (ended.result?.status === ended.state) {
      printResult(io, ended.result, options);
      return exitCodeOf(ended.result);
    }
    io.err(`It ended as ${ended.state}: ${visibleText(ended.reason ?? "")}\n`);
    return ended.state === "cancelled" || ended.state === "unknown" ? exitCodes[ended.state] : exitCodes.failed;
  } finally {
    stop();
    clearInterval(timer);
  }
}

function readState(text: string): JobState {
  const state = jobStates.find((each) => each === text);
  if (!state) throw new CliError(`"${text}" is no state of a job. Use one of ${jobStates.join(", ")}.`);
  return state;
}

export function readCount(text: string, option: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new CliError(`${option} wants a number from 1 on; "${text}" is none.`);
  return count;
}
