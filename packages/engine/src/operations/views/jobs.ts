import { ToolwrightError } from "../../contract/errors.ts";
import { oneLine } from "../../contract/visible-text.ts";
import type { JobRecord, JobState, ScheduleRecord } from "../../ports/jobs.ts";
import type { Rendering, Settle, Waiting } from "../shell.ts";

// With the mark of UTC: times that are typed are local.
const minute = (time: number) => `${new Date(time).toISOString().slice(0, 16)}Z`;
const second = (time: number | undefined) => (time === undefined ? "" : `${new Date(time).toISOString().slice(0, 19)}Z`);

function toJobRow(job: JobRecord): readonly string[] {
  const progress = job.progress && job.state === "running" ? describeProgress(job.progress) : undefined;
  const state = job.isCancelling ? "cancelling" : job.state;
  const time = job.endedAt ?? job.startedAt ?? job.runAt;
  return [job.id, state, job.tool, minute(time), String(job.attempts), progress ?? job.reason ?? JSON.stringify(job.input)];
}

function describeProgress({ done, total, message }: NonNullable<JobRecord["progress"]>): string {
  return `${total === undefined ? done : `${done}/${total}`}${message ? ` ${message}` : ""}`;
}

/** All of one job, for people. */
function describeJob(job: JobRecord): string {
  const { principal, result } = job;
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["state", job.isCancelling ? "running, its call is being ended" : job.state],
    ["reason", job.reason],
    ["tool", job.tool],
    ["input", JSON.stringify(job.input)],
    ["by", `${principal.actor.kind} ${principal.actor.id}${principal.agent === undefined ? "" : ` as agent ${principal.agent}`}`],
    ["session", job.session],
    ["schedule", job.schedule],
    ["after", job.dependsOn.length === 0 ? undefined : job.dependsOn.join(", ")],
    ["made", second(job.createdAt)],
    ["not before", second(job.runAt)],
    ["started", second(job.startedAt)],
    ["ended", second(job.endedAt)],
    ["runs", `${job.attempts}, ${job.retry.attempts} at most`],
    ["progress", job.progress && describeProgress(job.progress)],
    ["call", result?.callId],
    ["output", result?.status === "done" ? JSON.stringify(result.output) : undefined],
  ];
  const told = lines.filter(([, value]) => value !== undefined && value !== "");
  return `${job.id}\n${told.map(([name, value]) => `  ${name.padEnd(10)} ${value}`).join("\n")}`;
}

function toScheduleRow(schedule: ScheduleRecord): readonly string[] {
  const when = schedule.cron === undefined ? "once" : `${schedule.cron} (${schedule.zone})`;
  const next = schedule.isPaused
    ? "paused"
    : schedule.waitReason !== undefined
      ? "waits"
      : schedule.nextAt === undefined
        ? "over"
        : minute(schedule.nextAt);
  return [
    schedule.name,
    when,
    next,
    schedule.lastAt === undefined ? "never" : minute(schedule.lastAt),
    schedule.tool,
    schedule.pauseReason ?? schedule.waitReason ?? JSON.stringify(schedule.input),
  ];
}

export const jobsView: Rendering<{ readonly items: readonly JobRecord[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ["There are no such jobs. Make one with: toolwright jobs run TOOL --input JSON"]
      : [{ head: ["id", "state", "tool", "when", "runs", "what"], rows: items.map(toJobRow) }],
};

export const enqueuedJobView: Rendering<JobRecord> = {
  show: (job, { now, where }) => [job.id, { note: describeStart(job, now, where), always: true }],
};

/** When a job that was made runs, or how it stands: a key may have given one that was made before. */
function describeStart({ id, state, runAt, dependsOn }: JobRecord, now: number, where: string): string {
  const worker = "toolwright serve has a worker inside, toolwright worker is one.";
  const notBefore = runAt > now ? second(runAt) : undefined;
  if (state === "blocked")
    return `It runs when ${dependsOn.join(", ")} ${dependsOn.length === 1 ? "is" : "are"} done${notBefore ? `, not before ${notBefore}` : ""}: ${worker}`;
  if (state === "queued")
    return `It runs ${notBefore ? `at ${notBefore}, when a worker is there` : "as soon as a worker has time"}: ${worker}`;
  return `It is ${state}: toolwright jobs show ${id}${where}`;
}

const over: ReadonlySet<JobState> = new Set(["done", "failed", "denied", "cancelled", "unknown", "skipped"]);

export const jobWaiting: Waiting<Pick<JobRecord, "id" | "state" | "result" | "reason">> = {
  endingOf({ state, result, reason = "" }) {
    if (!over.has(state)) return undefined;
    if (result?.status === state) return { result };
    const note = `It ended as ${state}: ${reason}`;
    return { state: state === "cancelled" || state === "unknown" ? state : "failed", note };
  },
  leave: ({ id }, { where }) => `It goes on without you: toolwright jobs show ${id}${where}`,
};

export const jobView: Rendering<JobRecord> = { show: (job) => [describeJob(job)] };

export const jobCancelledView: Rendering<Pick<JobRecord, "id" | "state" | "isCancelling">> = {
  show: ({ id, state, isCancelling }, { where }) => [
    { note: isCancelling ? `Its call is being ended: toolwright jobs show ${id}${where}` : `It is ${state}.` },
  ],
};

export const jobRemovedView: Rendering<{ readonly removed: string }> = {
  show: ({ removed }) => [{ note: `Removed ${removed}. What it did stays in the log.` }],
  jsonOfAll: (answers) => ({ removed: answers.map(({ removed }) => removed) }),
};

export const schedulesView: Rendering<{ readonly items: readonly ScheduleRecord[] }> = {
  show: ({ items }) =>
    items.length === 0
      ? ['There are no schedules: toolwright schedule add NAME TOOL --cron "0 9 * * *"']
      : [{ head: ["name", "when", "next", "last", "tool", "input, or why it rests"], rows: items.map(toScheduleRow) }],
};

export const scheduleView: Rendering<Pick<ScheduleRecord, "isPaused" | "nextAt">> = {
  show({ isPaused, nextAt }) {
    if (isPaused) return [{ note: "Paused." }];
    return nextAt === undefined ? [] : [describeNext(nextAt)];
  },
};

export const addedScheduleView: Rendering<Pick<ScheduleRecord, "nextAt">> = {
  show: ({ nextAt }) => (nextAt === undefined ? [] : [describeNext(nextAt)]),
};

const describeNext = (at: number) => `Runs next at ${new Date(at).toISOString()}, when a worker is there.`;

/** A cron line is read in the time zone of this machine, where none is named. */
export const settleSchedule: Settle = ({ when = {}, missed, ...typed }, { zone: usual }) => {
  const { cron, zone, at } = when as { readonly cron?: string; readonly zone?: string; readonly at?: number };
  if ((cron === undefined) === (at === undefined)) throw refuse('Say when: either --cron "30 9 * * 1-5" or --at 2026-12-01T09:00.');
  if (at !== undefined && zone !== undefined)
    throw refuse("--zone belongs to --cron. With --at, write the offset behind the time: 2026-12-01T09:00+09:00.");
  return {
    ...typed,
    when: at === undefined ? { cron, zone: zone ?? usual } : { at },
    ...(missed !== undefined && { missed: readMissed(String(missed)) }),
  };
};

/** `skip`, `once`, or `all:20`. */
function readMissed(text: string): ScheduleRecord["missed"] {
  if (text === "skip" || text === "once") return { rule: text };
  const [, most = ""] = /^all:(\d{1,6})$/.exec(text) ?? [];
  if (Number(most) >= 1) return { rule: "all", most: Number(most) };
  throw refuse(`--missed is skip, once, or all with the most to make up for, as in all:20; "${oneLine(text)}" is none of them.`);
}

const refuse = (message: string) => new ToolwrightError("invalid_input", message);
