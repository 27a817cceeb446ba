import { z } from "zod";
import { openSession } from "../gate/session-access.ts";
import { type ScheduleRecord, schedulesPort } from "../ports/jobs.ts";
import { allowedIn, allows, checkCall, readAllowances, revokeAllowed } from "./allow-in-session.ts";
import { hideCallInput, sealCallInput } from "./call-input.ts";
import { toolInput } from "./call-parts.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { id, own, ranAs, retry } from "./jobs.ts";
import { listOf, time } from "./json-parts.ts";
import { addedScheduleView, schedulesView, scheduleView, settleSchedule } from "./views/jobs.ts";
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
  shell: {
    form: "schedule add <name> <tool>",
    about: "Call a tool at set times, or once",
    call: { tool: "tool", input: "input" },
    options: {
      session: false,
      retry: false,
      when: [
        { flags: "--cron <line>", about: "minute, hour, day of month, month, day of week", into: "cron" },
        { flags: "--zone <name>", about: "time zone of the cron line, e.g. Europe/Berlin (default: that of this machine)", into: "zone" },
        {
          flags: "--at <time>",
          about: "once: 2026-12-01T09:00, local time unless it names an offset (09:00Z, 09:00+09:00), or +90m",
          into: "at",
          reads: "future",
        },
      ],
      input: { flags: "--input <json>", about: "the input, one JSON object" },
      missed: { flags: "--missed <rule>", about: "what to do with missed runs: skip, once, or all:20 (default: once)", reads: "word" },
      allows: {
        flags: "--allow <what...>",
        about: "what would ask and runs unasked in these jobs, until it is removed and at most for a year: see toolwright jobs run --help",
        reads: "word",
      },
    },
    settle: settleSchedule,
    examples: [`schedule add news web_fetch --cron "30 9 * * 1-5" --zone Europe/Berlin --input '{"url": "https://example.org"}'`],
  },
  view: addedScheduleView,
  async run({ allows: said = [], ...wanted }, context) {
    await checkCall(wanted, context);
    const { principal: who, parts, ports } = context;
    const allowed = readAllowances(said, wanted, context);
    const marked = await withMarks(context);
    // Never that of an earlier schedule of this name: what was allowed to that one would hold for this one.
    const session = await openSession(who, wanted.session ?? parts.ids.next(`schedule ${wanted.name}`), parts);
    const terms = { forMs: year, maxUses: 10_000 };
    const request = { ...wanted, session, ...(await sealCallInput(wanted, context)) };
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
  store: [schedulesPort],
  tools: "schedules",
  shell: { schedule: { about: "Manage schedules: tool calls at set times" } },
  operations: [listSchedules, createSchedule, pauseSchedule, removeSchedule],
});
