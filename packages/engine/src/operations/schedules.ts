import { z } from "zod";
import { openSession } from "../gate/session-access.ts";
import { type ScheduleRecord, schedulesPort } from "../ports/jobs.ts";
import { allowedIn, allows, checkCall, revokeAllowed } from "./allow-in-session.ts";
import { hideCallInput, sealCallInput } from "./call-input.ts";
import { toolInput } from "./call-parts.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { id, own, ranAs, retry } from "./jobs.ts";
import { listOf, time } from "./json-parts.ts";
import { schedulesView, scheduleView } from "./views/jobs.ts";
import { withMarks } from "./with-marks.ts";

const missed: z.ZodType<ScheduleRecord["missed"], ScheduleRecord["missed"]> = z.discriminatedUnion("rule", [
  z.object({ rule: z.literal("skip") }),
  z.object({ rule: z.literal("once") }),
  z.object({ rule: z.literal("all"), most: z.int() }),
]);

const schedule = z.object({
  id: z.string(),
  name: z.string(),
  principal: ranAs,
  tool: z.string(),
  input: toolInput,
  session: z.string().optional(),
  retry,
  cron: z.string().optional(),
  zone: z.string(),
  missed,
  isPaused: z.boolean(),
  pauseReason: z.string().optional(),
  waitReason: z.string().optional().describe("Why it makes no runs for now, though nobody paused it"),
  nextAt: time("When it runs next; absent when it is over").optional(),
  lastAt: time("When it last ran").optional(),
  leftOut: z.int().describe("Runs that the rule for missed ones left out"),
  createdAt: time("When it was made"),
});

export const listSchedules = defineOperation({
  name: "schedules.list",
  at: "GET /schedules",
  title: "List schedules",
  description: `Lists schedules by name. ${own}`,
  effect: "read",
  needs: [schedulesPort],
  input: z.object({}),
  output: listOf(schedule),
  shell: { form: "schedule list", about: "List schedules" },
  view: schedulesView,
  run: async (_, { principal: who, ports }) => ({ items: await ports.schedules.list(who) }),
});

const year = 365 * 24 * 60 * 60 * 1000;

const createSchedule = defineOperation({
  name: "schedules.create",
  at: "POST /schedules",
  status: 201,
  title: "Create a schedule",
  description:
    "Calls a tool at times to come, as the principal and with nobody to ask. What `allows` names runs unasked in its jobs, for a year at most.",
  effect: "write",
  needs: [schedulesPort],
  input: z.object({
    name: z.string().describe("Unique for the principal"),
    tool: z.string().min(1),
    input: toolInput,
    session: z.string().optional().describe("Default: one of its own"),
    retry: retry.partial().optional(),
    when: z.union([
      z.object({ cron: z.string().describe("Five fields"), zone: z.string().optional().describe("Such as Europe/Berlin; default UTC") }),
      z.object({ at: time("The one time") }),
    ]),
    missed: missed.optional().describe("What happens to runs whose time passed; default once"),
    allows,
  }),
  output: schedule,
  logged: (wanted, context) => ({ ...wanted, input: hideCallInput(wanted, context) }),
  async run({ allows: allowed = [], ...wanted }, context) {
    checkCall(wanted, context);
    const { principal: who, parts, ports } = context;
    const marked = await withMarks(context);
    // Never that of an earlier schedule of this name: what was allowed to that one would hold for this one.
    const named = wanted.session === undefined ? undefined : await openSession(who, wanted.session, parts);
    const session = named ?? (allowed.length > 0 ? parts.ids.next(`schedule ${wanted.name}`) : undefined);
    const terms = { forMs: year, maxUses: 10_000 };
    const request = { ...wanted, ...(session !== undefined && { session }), ...(await sealCallInput(wanted, context)) };
    return allowedIn({ tool: wanted.tool, session, allows: allowed, terms }, context, () => ports.schedules.add(marked, request));
  },
});

const pauseSchedule = defineOperation({
  name: "schedules.pause",
  at: "POST /schedules/{id}/pause",
  title: "Pause or resume a schedule",
  description: `Pauses a schedule, or lets it run again. ${own}`,
  effect: "write",
  needs: [schedulesPort],
  input: z.object({ id: id.describe("Id or name"), paused: z.boolean() }),
  output: schedule,
  shell: [
    { form: "schedule pause <id>", about: "Pause a schedule", gives: { paused: true } },
    { form: "schedule resume <id>", about: "Resume a schedule", gives: { paused: false } },
  ],
  view: scheduleView,
  run: ({ id: wanted, paused }, { principal: who, ports }) => ports.schedules.pause(who, wanted, paused),
});

const removeSchedule = defineOperation({
  name: "schedules.remove",
  at: "DELETE /schedules/{id}",
  title: "Remove a schedule",
  description: `Removes a schedule, and with it what it was allowed. Jobs that it made stay. ${own}`,
  effect: "destructive",
  needs: [schedulesPort],
  input: z.object({ id: id.describe("Id or name") }),
  output: z.object({ removed: z.string() }),
  shell: { form: "schedule remove <id>", about: "Remove a schedule" },
  view: { note: "Removed, and with it what it was allowed. The jobs that it made stay." },
  async run({ id: wanted }, context) {
    const { principal: who, ports } = context;
    const all = await ports.schedules.list(who);
    const named = all.filter(({ name }) => name === wanted);
    const found = all.find((each) => each.id === wanted) ?? (named.length === 1 ? named[0] : undefined);
    // Before it goes: a schedule without what it was allowed can be removed again, a grant without its schedule would be forgotten.
    if (found?.session !== undefined && !all.some(({ id: other, session }) => session === found.session && other !== found.id))
      await revokeAllowed(found.session, context);
    // A name that none or several of them have is refused there.
    await ports.schedules.remove(who, found?.id ?? wanted);
    return { removed: wanted };
  },
});

export const schedulesSubject = defineSubject({
  name: "schedules",
  shell: { schedule: { about: "Manage schedules: tool calls at set times" } },
  operations: [listSchedules, createSchedule, pauseSchedule, removeSchedule],
});
