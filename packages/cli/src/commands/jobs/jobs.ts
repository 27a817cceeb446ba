import { type JobRecord, type JobState, visibleText } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { exitCodeOf } from "../../exit-code-of.ts";
import { readFuture } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { describeStart } from "../../output/describe-job.ts";
import { describeWhereabouts } from "../../output/describe-options.ts";
import { printResult } from "../../output/print-result.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import { asPerson, type Person } from "../context/as-person.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { readJobCall } from "./read-job-call.ts";

interface RunOptions extends TenantOptions, RemoteOptions {
  readonly input?: string;
  readonly at?: string;
  readonly key?: string;
  readonly session?: string;
  readonly attempts?: string;
  readonly after?: readonly string[];
  readonly allow?: readonly string[];
  readonly wait?: boolean;
}

export function run(io: Io, options: RunOptions, [tool = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async (person) => {
    const { operate, here } = person;
    if (here) await refuseSuspended(here.scope, here.toolwright);
    const runAt = options.at === undefined ? undefined : readFuture(options.at, Date.now());
    const attempts = options.attempts === undefined ? undefined : readCount(options.attempts, "--attempts");
    const { session, key: idempotencyKey, after } = options;
    const job = await operate("jobs.enqueue", {
      tool,
      ...(await readJobCall(person, tool, options)),
      ...{ session, idempotencyKey, runAt, retry: attempts === undefined ? undefined : { attempts }, dependsOn: after && [...after] },
    });
    if (options.wait) return waitFor(person, io, { job, options });
    if (options.json) io.out(`${JSON.stringify(job, null, 2)}\n`);
    else io.out(`${job.id}\n`);
    io.err(describeStart(job, Date.now(), describeWhereabouts(options)));
    return exitCodes.done;
  });
}

const over: ReadonlySet<JobState> = new Set(["done", "failed", "denied", "cancelled", "unknown", "skipped"]);

interface Awaited {
  readonly job: JobRecord;
  readonly options: RunOptions;
}

async function waitFor({ operate, here }: Person, io: Io, { job, options }: Awaited): Promise<number> {
  const changed = Promise.withResolvers<JobRecord>();
  const look = async () => {
    const now = await operate("jobs.get", { id: job.id });
    if (over.has(now.state)) changed.resolve(now);
  };
  const tryLook = () => void look().catch(changed.reject);
  const stop = here?.toolwright.store.jobs.follow(here.scope.principal.tenant, (id) => (id === undefined || id === job.id) && tryLook());
  // Nobody may be there to tell of changes.
  const timer = setInterval(tryLook, 1_000);
  io.signal.addEventListener(
    "abort",
    () => changed.reject(new CliError(`It goes on without you: toolwright jobs show ${job.id}${describeWhereabouts(options)}`)),
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
    stop?.();
    clearInterval(timer);
  }
}

export function readCount(text: string, option: string): number {
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new CliError(`${option} wants a number from 1 on; "${text}" is none.`);
  return count;
}
