import { type JobRecord, type ScheduleRecord, visibleText } from "@toolwright/engine/ports";

// With the mark of UTC: times that are typed are local.
const minute = (time: number) => `${new Date(time).toISOString().slice(0, 16)}Z`;
const second = (time: number | undefined) => (time === undefined ? "" : `${new Date(time).toISOString().slice(0, 19)}Z`);

export function toJobRow(job: JobRecord): readonly string[] {
  const progress = job.progress && job.state === "running" ? describeProgress(job.progress) : undefined;
  const state = job.isCancelling ? "cancelling" : job.state;
  const time = job.endedAt ?? job.startedAt ?? job.runAt;
  return [job.id, state, job.tool, minute(time), String(job.attempts), visibleText(progress ?? job.reason ?? JSON.stringify(job.input))];
}

function describeProgress({ done, total, message }: NonNullable<JobRecord["progress"]>): string {
  return `${total === undefined ? done : `${done}/${total}`}${message ? ` ${message}` : ""}`;
}

/** All of one job, for people. */
export function describeJob(job: JobRecord): string {
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
  return `${job.id}\n${told.map(([name, value]) => `  ${name.padEnd(10)} ${visibleText(value ?? "")}`).join("\n")}\n`;
}

/** When a job that was made runs, or how it stands: a key may have given one that was made before. */
export function describeStart({ id, state, runAt, dependsOn }: JobRecord, now: number, where: string): string {
  const worker = "toolwright serve has a worker inside, toolwright worker is one.";
  const notBefore = runAt > now ? second(runAt) : undefined;
  if (state === "blocked")
    return `It runs when ${dependsOn.join(", ")} ${dependsOn.length === 1 ? "is" : "are"} done${notBefore ? `, not before ${notBefore}` : ""}: ${worker}\n`;
  if (state === "queued")
    return `It runs ${notBefore ? `at ${notBefore}, when a worker is there` : "as soon as a worker has time"}: ${worker}\n`;
  return `It is ${state}: toolwright jobs show ${id}${where}\n`;
}

export function toScheduleRow(schedule: ScheduleRecord): readonly string[] {
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
    visibleText(schedule.pauseReason ?? schedule.waitReason ?? JSON.stringify(schedule.input)),
  ];
}
