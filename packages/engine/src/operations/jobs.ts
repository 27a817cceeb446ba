import { z } from "zod";
import type { Json } from "../contract/json.ts";
import { type JobRecord, type JobState, jobStates, type ScheduleRecord, type ScheduleRequest } from "../ports/jobs.ts";
import { defineOperation } from "./define-operation.ts";
import { anyJson, anyObject, limitUpTo, listOf, time } from "./json-parts.ts";

const retry = z.object({ attempts: z.int(), delayMs: z.number(), mostDelayMs: z.number() });
const principal = anyObject<JobRecord["principal"]>("As whom it runs");
const input = anyJson<Json>("What the tool is called with");

const job: z.ZodType<JobRecord> = z.object({
  id: z.string(),
  principal,
  session: z.string(),
  tool: z.string(),
  input,
  state: z.enum(jobStates),
  schedule: z.string().optional(),
  retry,
  dependsOn: z.array(z.string()),
  attempts: z.int(),
  runAt: time("When it is due"),
  createdAt: time("When it was made"),
  startedAt: time("When it last began").optional(),
  endedAt: time("When it ended").optional(),
  progress: z.object({ done: z.number(), total: z.number().optional(), message: z.string().optional() }).optional(),
  result: anyObject<NonNullable<JobRecord["result"]>>("How the last run ended").optional(),
  reason: z.string().optional().describe("Why it is in this state"),
  isCancelling: z.boolean().optional(),
});

const own = "Principals see their own; with the permission jobs:manage all of the tenant.";
const id = z.string().min(1);

export const listJobs = defineOperation({
  name: "jobs.list",
  title: "List jobs",
  description: `Lists background calls, newest first. ${own}`,
  effect: "read",
  needs: ["jobs"],
  input: z.object({
    states: z.array(z.enum(jobStates) as z.ZodType<JobState, JobState>).optional(),
    tool: z.string().optional(),
    schedule: z.string().optional(),
    limit: limitUpTo(1000, 100),
  }),
  output: listOf(job),
  run: async (filter, { principal: who, ports }) => ({ items: await ports.jobs.list(who, filter) }),
});

export const getJob = defineOperation({
  name: "jobs.get",
  title: "Get a job",
  description: `Gets a background call, and how it ended. ${own}`,
  effect: "read",
  needs: ["jobs"],
  input: z.object({ id }),
  output: job,
  run: ({ id: wanted }, { principal: who, ports }) => ports.jobs.get(who, wanted),
});

export const cancelJob = defineOperation({
  name: "jobs.cancel",
  title: "Cancel a job",
  description: `Ends a job, or asks its running call to end. One that has ended stays as it is. ${own}`,
  effect: "destructive",
  needs: ["jobs"],
  input: z.object({ id, reason: z.string().optional() }),
  output: job,
  run: ({ id: wanted, reason }, { principal: who, ports }) => ports.jobs.cancel(who, wanted, reason),
});

const missed: z.ZodType<ScheduleRecord["missed"], ScheduleRecord["missed"]> = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("skip") }),
  z.object({ rule: z.literal("once") }),
  z.object({ rule: z.literal("all"), most: z.int() }),
]);

const schedule: z.ZodType<ScheduleRecord> = z.object({
  id: z.string(),
  name: z.string(),
  principal,
  tool: z.string(),
  input,
  session: z.string().optional(),
  retry,
  cron: z.string().optional(),
  zone: z.string(),
  missed,
  isPaused: z.boolean(),
  pauseReason: z.string().optional(),
  nextAt: time("When it runs next; absent when it is over").optional(),
  lastAt: time("When it last ran").optional(),
  leftOut: z.int().describe("Runs that the rule for missed ones left out"),
  createdAt: time("When it was made"),
});

export const listSchedules = defineOperation({
  name: "schedules.list",
  title: "List schedules",
  description: `Lists schedules by name. ${own}`,
  effect: "read",
  needs: ["schedules"],
  input: z.object({}),
  output: listOf(schedule),
  run: async (_, { principal: who, ports }) => ({ items: await ports.schedules.list(who) }),
});

export const createSchedule = defineOperation({
  name: "schedules.create",
  title: "Create a schedule",
  description: "Calls a tool at times to come, as the principal and with nobody to ask.",
  effect: "write",
  needs: ["schedules"],
  input: z.object({
    name: z.string().describe("Unique for the principal"),
    tool: z.string(),
    input,
    session: z.string().optional(),
    retry: retry.partial().optional(),
    when: z.union([
      z.object({ cron: z.string().describe("Five fields"), zone: z.string().optional().describe("Such as Europe/Berlin; default UTC") }),
      z.object({ at: time("The one time") }),
    ]) as z.ZodType<ScheduleRequest["when"], ScheduleRequest["when"]>,
    missed: missed.optional().describe("What happens to runs whose time passed; default once"),
  }),
  output: schedule,
  run: (wanted, { principal: who, ports }) => ports.schedules.add(who, wanted),
});

export const pauseSchedule = defineOperation({
  name: "schedules.pause",
  title: "Pause or resume a schedule",
  description: `Pauses a schedule, or lets it run again. ${own}`,
  effect: "write",
  needs: ["schedules"],
  input: z.object({ id: id.describe("Id or name"), paused: z.boolean() }),
  output: schedule,
  run: ({ id: wanted, paused }, { principal: who, ports }) => ports.schedules.pause(who, wanted, paused),
});

export const removeSchedule = defineOperation({
  name: "schedules.remove",
  title: "Remove a schedule",
  description: `Removes a schedule. Jobs that it made stay. ${own}`,
  effect: "destructive",
  needs: ["schedules"],
  input: z.object({ id: id.describe("Id or name") }),
  output: z.object({ removed: z.string() }),
  async run({ id: wanted }, { principal: who, ports }) {
    await ports.schedules.remove(who, wanted);
    return { removed: wanted };
  },
});
