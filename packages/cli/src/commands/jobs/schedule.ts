import { createRandomIds, type MissedRuns, type ScheduleRecord } from "@toolwright/engine/ports";
import type { Toolwright } from "@toolwright/server";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readFuture } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { toScheduleRow } from "../../output/describe-job.ts";
import { renderTable } from "../../output/table.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { withToolwright } from "../context/with-toolwright.ts";
import { keeper, maker, prepareJob, revokeAllowances } from "./job-scope.ts";
import { readCount } from "./jobs.ts";

interface AddOptions extends TenantOptions {
  readonly cron?: string;
  readonly zone?: string;
  readonly at?: string;
  readonly input?: string;
  readonly missed?: string;
  readonly allow?: readonly string[];
}

const withSchedules = (io: Io, options: TenantOptions, use: (toolwright: Toolwright) => Promise<number>) =>
  withToolwright(io, { ...options, callsNothing: true }, use);

const year = 365 * 24 * 60 * 60 * 1000;

export function add(io: Io, options: AddOptions, [name = "", tool = ""]: readonly string[]): Promise<number> {
  return withSchedules(io, options, async (toolwright) => {
    const { tenant } = options;
    await refuseSuspended({ principal: maker(io, options) }, toolwright);
    const when = readWhen(options);
    const missed = readMissed(options.missed);
    // Never that of an earlier schedule of this name: what was allowed to that one would hold for this one.
    const session = createRandomIds().next(`schedule ${name}`);
    const terms = { forMs: year, maxUses: 10_000 };
    const { input, allow } = prepareJob(toolwright, io, { tenant, tool, input: options.input, allow: options.allow, session, terms });
    const { schedules } = toolwright.store;
    const schedule = await schedules.add(maker(io, options), { name, tool, input, when, session, ...(missed && { missed }) });
    try {
      await allow();
    } catch (error) {
      await schedules.remove(maker(io, options), schedule.id);
      throw error;
    }
    return tell(io, options, schedule);
  });
}

export function list(io: Io, options: TenantOptions): Promise<number> {
  return withSchedules(io, options, async ({ store }) => {
    const schedules = await store.schedules.list(keeper(io, options));
    if (options.json) io.out(`${JSON.stringify(schedules, null, 2)}\n`);
    else if (schedules.length === 0) io.out('There are no schedules: toolwright schedule add NAME TOOL --cron "0 9 * * *"\n');
    else
      io.out(
        `${renderTable(["name", "when", "next", "last", "tool", "input, or why it rests"], schedules.map(toScheduleRow), io.columns)}\n`,
      );
    return exitCodes.done;
  });
}

export function remove(io: Io, options: TenantOptions, [id = ""]: readonly string[]): Promise<number> {
  return withSchedules(io, options, async (toolwright) => {
    const { schedules } = toolwright.store;
    const principal = keeper(io, options);
    const all = await schedules.list(principal);
    const named = all.filter(({ name }) => name === id);
    const schedule = all.find((each) => each.id === id) ?? (named.length === 1 ? named[0] : undefined);
    const session = schedule?.session;
    // Before it goes: a schedule without what it was allowed can be removed again, a grant without its schedule would be forgotten.
    if (session !== undefined && !all.some((each) => each.session === session && each.id !== schedule?.id))
      await revokeAllowances(toolwright, principal, session);
    // A name that none or several of them have is refused there.
    await schedules.remove(principal, schedule?.id ?? id);
    io.err("Removed, and with it what it was allowed. The jobs that it made stay.\n");
    return exitCodes.done;
  });
}

export const pause = (io: Io, options: TenantOptions, words: readonly string[]) => setPaused(io, options, { words, paused: true });
export const resume = (io: Io, options: TenantOptions, words: readonly string[]) => setPaused(io, options, { words, paused: false });

interface Pausing {
  readonly words: readonly string[];
  readonly paused: boolean;
}

function setPaused(io: Io, options: TenantOptions, { words: [id = ""], paused }: Pausing): Promise<number> {
  return withSchedules(io, options, async ({ store }) => tell(io, options, await store.schedules.pause(keeper(io, options), id, paused)));
}

function tell(io: Io, options: TenantOptions, schedule: ScheduleRecord): number {
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
