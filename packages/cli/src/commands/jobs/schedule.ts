import { createRandomIds, type MissedRuns, type ScheduleRecord } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readFuture } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { toScheduleRow } from "../../output/describe-job.ts";
import { renderTable } from "../../output/table.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import { asPerson, type Person } from "../context/as-person.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { readCount } from "./jobs.ts";
import { readJobCall } from "./read-job-call.ts";

type ScheduleOptions = TenantOptions & RemoteOptions;

interface AddOptions extends TenantOptions, RemoteOptions {
  readonly cron?: string;
  readonly zone?: string;
  readonly at?: string;
  readonly input?: string;
  readonly missed?: string;
  readonly allow?: readonly string[];
}

const withSchedules = (io: Io, options: ScheduleOptions, use: (person: Person) => Promise<number>) =>
  asPerson(io, { ...options, callsNothing: true }, use);

export function add(io: Io, options: AddOptions, [name = "", tool = ""]: readonly string[]): Promise<number> {
  return withSchedules(io, options, async (person) => {
    const { operate, here } = person;
    if (here) await refuseSuspended(here.scope, here.toolwright);
    const when = readWhen(options);
    const missed = readMissed(options.missed);
    // Never that of an earlier schedule of this name: what was allowed to that one would hold for this one.
    const session = createRandomIds().next(`schedule ${name}`);
    const call = await readJobCall(person, tool, options);
    return tell(io, options, await operate("schedules.create", { name, tool, ...call, session, when, missed }));
  });
}

export function list(io: Io, options: ScheduleOptions): Promise<number> {
  return withSchedules(io, options, async ({ operate }) => {
    const { items: schedules } = await operate("schedules.list", {});
    if (options.json) io.out(`${JSON.stringify(schedules, null, 2)}\n`);
    else if (schedules.length === 0) io.out('There are no schedules: toolwright schedule add NAME TOOL --cron "0 9 * * *"\n');
    else
      io.out(
        `${renderTable(["name", "when", "next", "last", "tool", "input, or why it rests"], schedules.map(toScheduleRow), io.columns)}\n`,
      );
    return exitCodes.done;
  });
}

export function remove(io: Io, options: ScheduleOptions, [id = ""]: readonly string[]): Promise<number> {
  return withSchedules(io, options, async ({ operate }) => {
    await operate("schedules.remove", { id });
    io.err("Removed, and with it what it was allowed. The jobs that it made stay.\n");
    return exitCodes.done;
  });
}

export const pause = (io: Io, options: ScheduleOptions, words: readonly string[]) => setPaused(io, options, { words, paused: true });
export const resume = (io: Io, options: ScheduleOptions, words: readonly string[]) => setPaused(io, options, { words, paused: false });

interface Pausing {
  readonly words: readonly string[];
  readonly paused: boolean;
}

function setPaused(io: Io, options: ScheduleOptions, { words: [id = ""], paused }: Pausing): Promise<number> {
  return withSchedules(io, options, async ({ operate }) => tell(io, options, await operate("schedules.pause", { id, paused })));
}

function tell(io: Io, options: ScheduleOptions, schedule: ScheduleRecord): number {
  if (options.json) io.out(`${JSON.stringify(schedule, null, 2)}\n`);
  else if (schedule.isPaused) io.err("Paused.\n");
  else if (schedule.nextAt !== undefined) io.out(`Runs next at ${new Date(schedule.nextAt).toISOString()}, when a worker is there.\n`);
  return exitCodes.done;
}

function readWhen({ cron, zone, at }: AddOptions) {
  if ((cron === undefined) === (at === undefined)) throw new CliError('Say when: either --cron "30 9 * * 1-5" or --at 2026-12-01T09:00.');
  if (at !== undefined && zone !== undefined)
    throw new CliError("--zone belongs to --cron. With --at, write the offset behind the time: 2026-12-01T09:00+09:00.");
  if (at !== undefined) return { at: readFuture(at, Date.now()) };
  return { cron: cron ?? "", zone: zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone };
}

/** `skip`, `once`, or `all:20`. */
function readMissed(text: string | undefined): MissedRuns | undefined {
  if (text === undefined) return undefined;
  if (text === "skip" || text === "once") return { rule: text };
  const all = /^all:(\d+)$/.exec(text);
  if (all) return { rule: "all", most: readCount(all[1] ?? "", "--missed all:") };
  throw new CliError(`--missed is skip, once, or all with the most to make up for, as in all:20; "${text}" is none of them.`);
}
