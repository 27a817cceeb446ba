import { createRandomIds, type MissedRuns } from "@toolwright/engine/ports";
import { CliError } from "../../cli-error.ts";
import { exitCodes } from "../../exit-code.ts";
import { readFuture } from "../../input/read-time.ts";
import type { Io } from "../../io.ts";
import { refuseSuspended } from "../approvals/refuse-suspended.ts";
import { asPerson } from "../context/as-person.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import type { TenantOptions } from "../context/with-store.ts";
import { readCount } from "./jobs.ts";
import { readJobCall } from "./read-job-call.ts";

interface AddOptions extends TenantOptions, RemoteOptions {
  readonly cron?: string;
  readonly zone?: string;
  readonly at?: string;
  readonly input?: string;
  readonly missed?: string;
  readonly allow?: readonly string[];
}

export function add(io: Io, options: AddOptions, [name = "", tool = ""]: readonly string[]): Promise<number> {
  return asPerson(io, { ...options, callsNothing: true }, async (person) => {
    const { operate, here } = person;
    if (here) await refuseSuspended(here.scope, here.toolwright);
    const when = readWhen(options);
    const missed = readMissed(options.missed);
    // Never that of an earlier schedule of this name: what was allowed to that one would hold for this one.
    const session = createRandomIds().next(`schedule ${name}`);
    const call = await readJobCall(person, tool, options);
    const made = await operate("schedules.create", { name, tool, ...call, session, when, missed });
    if (options.json) io.out(`${JSON.stringify(made, null, 2)}\n`);
    else if (made.nextAt !== undefined) io.out(`Runs next at ${new Date(made.nextAt).toISOString()}, when a worker is there.\n`);
    return exitCodes.done;
  });
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
