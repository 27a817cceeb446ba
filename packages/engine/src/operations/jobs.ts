import { z } from "zod";
import { MANAGE_JOBS } from "../contract/permissions.ts";
import { openSession } from "../gate/session-access.ts";
import { jobStates, jobsPort } from "../ports/jobs.ts";
import { allowedIn, allows, checkCall, readAllowances } from "./allow-in-session.ts";
import { hideCallInput, sealCallInput } from "./call-input.ts";
import { callParts, toolInput } from "./call-parts.ts";
import { callResults } from "./call-results.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { limitUpTo, listOf, time } from "./json-parts.ts";
import { enqueuedJobView, jobCancelledView, jobRemovedView, jobsView, jobView, jobWaiting } from "./views/jobs.ts";
import { withMarks } from "./with-marks.ts";

export const retry = z.object({ attempts: z.int(), delayMs: z.number(), mostDelayMs: z.number() });
export const ranAs = callParts.principal.describe("As whom it runs");

const job = z.object({
  id: z.string(),
  principal: ranAs,
  session: z.string(),
  tool: z.string(),
  input: toolInput,
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
  result: callResults.CallResult.optional().describe("How the last run ended"),
  reason: z.string().optional().describe("Why it is in this state"),
  isCancelling: z.boolean().optional(),
});

export const own = "Principals see their own; with the permission jobs:manage all of the tenant.";
export const id = z.string().min(1);

const listJobs = defineOperation({
  name: "jobs.list",
  at: "GET /jobs",
  title: "List jobs",
  description: `Lists background calls, newest first. ${own}`,
  effect: "read",
  needs: [jobsPort],
  input: z.object({
    states: z.array(z.enum(jobStates)).optional().describe("Only jobs in these states; failed and unknown are dead letters"),
    tool: z.string().optional(),
    schedule: z.string().optional(),
    limit: limitUpTo(1000, 100),
  }),
  output: listOf(job),
  shell: {
    form: "jobs list",
    about: "List jobs, newest first",
    options: {
      states: { flags: "--state <state...>", about: "only jobs in these states; failed and unknown are dead letters" },
      tool: false,
      schedule: false,
      limit: { about: "maximum number of jobs (default: 100)" },
    },
  },
  view: jobsView,
  run: async (filter, { principal: who, ports }) => ({ items: await ports.jobs.list(who, filter) }),
});

const getJob = defineOperation({
  name: "jobs.get",
  at: "GET /jobs/{id}",
  title: "Get a job",
  description: `Gets a background call, and how it ended. ${own}`,
  effect: "read",
  needs: [jobsPort],
  input: z.object({ id }),
  output: job,
  shell: { form: "jobs show <id>", about: "Show a job" },
  view: jobView,
  run: ({ id: wanted }, { principal: who, ports }) => ports.jobs.get(who, wanted),
});

export const cancelJob = defineOperation({
  name: "jobs.cancel",
  at: "POST /jobs/{id}/cancel",
  title: "Cancel a job",
  description: `Ends a job, or asks its running call to end. One that has ended stays as it is. ${own}`,
  effect: "destructive",
  needs: [jobsPort],
  input: z.object({ id, reason: z.string().optional().describe("What its maker should know") }),
  output: job,
  shell: { form: "jobs cancel <id>", about: "Cancel a job, also while its tool runs" },
  view: jobCancelledView,
  run: ({ id: wanted, reason }, { principal: who, ports }) => ports.jobs.cancel(who, wanted, reason),
});

const day = 24 * 60 * 60 * 1000;
const usualAttempts = 3;

export const enqueueJob = defineOperation({
  name: "jobs.enqueue",
  at: "POST /jobs",
  status: 201,
  title: "Enqueue a job",
  description: "Has a worker call a tool, as the principal and with nobody to ask. What `allows` names runs unasked, in this job alone.",
  effect: "write",
  needs: [jobsPort],
  input: z.object({
    tool: z.string().min(1),
    input: toolInput,
    session: z.string().optional().describe("Default: one of its own"),
    idempotencyKey: z.string().optional().describe("The same key gives the same job"),
    runAt: time("When it is due; default at once").optional(),
    retry: retry.partial().optional(),
    dependsOn: z.array(z.string()).optional().describe("Jobs that must be done before it"),
    allows,
  }),
  output: job,
  logged: (wanted, context) => ({ ...wanted, input: hideCallInput(wanted, context) }),
  shell: {
    form: "jobs run <tool>",
    about: "Enqueue a tool call",
    call: { tool: "tool", input: "input" },
    options: {
      input: { flags: "--input <json>", about: "the input, one JSON object" },
      runAt: {
        flags: "--at <time>",
        about: "start at this time: 2026-12-01T09:00, local time unless it names an offset (09:00Z, 09:00+09:00), or +90m",
        reads: "future",
      },
      dependsOn: { flags: "--after <job...>", about: "start when these jobs are done" },
      idempotencyKey: { flags: "--key <text>", about: "the same key gives the same job" },
      session: { flags: "--session <name>", about: "session of the call (default: a new one)" },
      retry: { flags: "--attempts <count>", about: "maximum number of runs after temporary failures (default: 3)", into: "attempts" },
      allows: {
        flags: "--allow <what...>",
        about: "what would ask and runs unasked in this job: input, 'command git push *', 'path write docs', 'request GET api.example.org'",
        reads: "word",
      },
    },
    awaits: {
      flags: "--wait",
      about: "wait for the job to end and print its result",
      operation: "jobs.get",
      by: "id",
      waiting: jobWaiting,
    },
    examples: [`jobs run web_fetch --input '{"url": "https://example.org"}' --at +10m`],
  },
  view: enqueuedJobView,
  async run({ allows: said = [], ...wanted }, context) {
    await checkCall(wanted, context);
    const { principal: who, parts, ports } = context;
    const allowed = readAllowances(said, wanted, context);
    const marked = await withMarks(context);
    const now = parts.clock.now();
    // With a key the same request gives the same job, so nothing in it may be drawn anew; what is allowed needs a session of its own.
    const named = wanted.session === undefined ? undefined : await openSession(who, wanted.session, parts);
    const session = named ?? (allowed.length > 0 ? parts.ids.next("jobs") : undefined);
    const terms = { forMs: Math.max((wanted.runAt ?? now) - now, 0) + day, maxUses: wanted.retry?.attempts ?? usualAttempts };
    const request = { ...wanted, ...(session !== undefined && { session }), ...(await sealCallInput(wanted, context)) };
    // Allowed first: a worker may begin the job as soon as it is there.
    return allowedIn({ tool: wanted.tool, session, allows: allowed, terms }, context, () => ports.jobs.enqueue(marked, request));
  },
});

export const redriveJob = defineOperation({
  name: "jobs.redrive",
  at: "POST /jobs/{id}/redrive",
  title: "Retry a job",
  description: `Gives a job that did not end well another try, and those that were skipped for it. ${own}`,
  effect: "write",
  needs: [jobsPort],
  input: z.object({ id, mayRepeat: z.boolean().optional().describe("True: also where its tool may have had its effect already") }),
  output: job,
  shell: {
    form: "jobs redrive <id>",
    about: "Retry a job that did not succeed",
    options: { mayRepeat: { about: "also when its tool may have had its effect already" } },
  },
  view: { note: "It waits for a worker again, and so does what was skipped for it." },
  run: ({ id: wanted, mayRepeat = false }, { principal: who, ports }) => ports.jobs.redrive(who, wanted, { mayRepeat }),
});

export const removeJob = defineOperation({
  name: "jobs.remove",
  at: "DELETE /jobs/{id}",
  title: "Delete a job",
  description: `Deletes a job that has ended. What it did stays in the log. ${own}`,
  effect: "destructive",
  needs: [jobsPort],
  input: z.object({ id }),
  output: z.object({ removed: z.string() }),
  shell: { form: "jobs remove <id...>", about: "Delete finished jobs", each: "id" },
  view: jobRemovedView,
  async run({ id: wanted }, { principal: who, ports }) {
    await ports.jobs.remove(who, wanted);
    return { removed: wanted };
  },
});

export const jobsSubject = defineSubject({
  name: "jobs",
  permissions: [{ name: MANAGE_JOBS, about: "see and end jobs and schedules of others" }],
  errors: {
    job_not_found: { kind: "missing", means: "There is no such job or schedule for this principal." },
    job_refused: { kind: "conflict", means: "The job or schedule cannot be made, or is not in a state for this." },
  },
  store: [jobsPort],
  loops: [{ name: "jobs", about: "makes the calls of jobs and schedules that are due, and goes on with calls that waited for an answer" }],
  shell: { jobs: { about: "Manage jobs: tool calls that a worker makes" } },
  operations: [listJobs, getJob, enqueueJob, cancelJob, redriveJob, removeJob],
});
