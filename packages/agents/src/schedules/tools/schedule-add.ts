import { defineTool, fail, type Json } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "../schedules-capability.ts";
import { describeSchedule, scheduleOutput } from "./schedule-output.ts";

/** Has a message answered or a tool called at times to come. */
export default defineTool({
  name: "schedule_add",
  title: "Add a schedule",
  group: "schedules",
  icon: "calendar-clock",
  description:
    "Have an agent answer a message, or a tool called, at times to come: once, or by a cron line. Nobody can be asked then: a call that needs approval is denied. Give either message or tool, and either cron or at. See schedule_list before you add one twice.",
  input: z.object({
    name: z.string().min(1).max(200).describe("Names it among your schedules"),
    message: z.string().max(100_000).nullish().describe("What the agent is to do each time"),
    agent: z.string().nullish().describe("The agent that answers the message; default: the one that calls"),
    tool: z.string().nullish().describe("Name of the tool to call in place of a message"),
    input: z.string().max(100_000).nullish().describe("Input of the tool as JSON text; default {}"),
    cron: z.string().nullish().describe("Five fields, such as 0 8 * * 1-5"),
    zone: z.string().nullish().describe("Time zone of cron, such as Europe/Berlin; default UTC"),
    at: z.string().nullish().describe("The one time in place of cron, such as 2027-01-31T08:00:00Z"),
  }),
  output: scheduleOutput,
  permission: RUN_AGENTS,
  effects: { schedules: "write" },
  examples: [
    { label: "Each working day", input: { name: "morning", message: "Summarise what changed since yesterday.", cron: "0 8 * * 1-5" } },
  ],
  async run({ name, message, agent, tool, input, cron, zone, at }, { schedules }) {
    const when = whenOf({ cron, zone, at });
    if (!when) return fail("no_time", "Give either cron, five fields, or at, one time such as 2027-01-31T08:00:00Z.");
    if ((message == null) === (tool == null)) return fail("no_call", "Give either message, for an agent, or tool, with its input.");
    if (message != null) return describeSchedule(await schedules.addMessage({ name, when, message, agent: agent ?? undefined }));
    const given = readInput(input ?? "{}");
    if (given === undefined) return fail("no_json", "The input of the tool is no JSON. Write it as a JSON object in text.");
    return describeSchedule(await schedules.addCall({ name, when, tool: tool ?? "", input: given }));
  },
});

interface Times {
  readonly cron: string | null | undefined;
  readonly zone: string | null | undefined;
  readonly at: string | null | undefined;
}

function whenOf({ cron, zone, at }: Times) {
  if ((cron == null) === (at == null)) return undefined;
  if (cron != null) return { cron, ...(zone != null && { zone }) };
  const time = Date.parse(at ?? "");
  return Number.isNaN(time) ? undefined : { at: time };
}

function readInput(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
