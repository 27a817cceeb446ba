import { defineTool, fail } from "@toolwright/engine";
import { turnUsage } from "@toolwright/engine/operations";
import { READ_LOG, turnUsageGroups } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "../capability.ts";

/** Sums up what agents of the tenant asked of models. */
export default defineTool({
  name: "usage_stats",
  title: "Sum up usage of models",
  group: "usage",
  icon: "chart-bar",
  description:
    "See what agents of this tenant asked of models in a time: turns, requests, tokens, those from and to a cache, and cost. The time is the last seven days unless you name another.",
  input: z.object({
    by: z.enum(turnUsageGroups).nullish().describe("What each row is about; day is one in UTC. Default: model"),
    since: z
      .string()
      .nullish()
      .describe("Turns that began then or later, such as 2027-01-31 or 2027-01-31T08:00:00Z. Default: seven days ago"),
    until: z.string().nullish().describe("Turns that began before then, in the same form. Default: now"),
    agent: z.string().nullish().describe("Only turns of this agent"),
    model: z.string().nullish().describe("Only turns of this model, as provider/name"),
  }),
  output: z.object({
    since: z.string().describe("Beginning of the time, in UTC"),
    usage: z.array(turnUsage),
  }),
  permission: READ_LOG,
  effects: { agents: "read" },
  examples: [
    { label: "Each model in the last seven days", input: { by: "model" } },
    { label: "Each day of January, of one agent", input: { by: "day", since: "2027-01-01", until: "2027-02-01", agent: "assistant" } },
  ],
  async run({ by, since, until, agent, model }, { agents }) {
    const times = { since: readTime(since), until: readTime(until) };
    if (Object.values(times).some(Number.isNaN))
      return fail("no_time", "Write since and until as a date or a time in UTC, such as 2027-01-31 or 2027-01-31T08:00:00Z.");
    const wanted = { by: by ?? "model", ...times, agent: agent ?? undefined, model: model ?? undefined };
    const { since: from, rows } = await agents.usage(wanted);
    return { since: new Date(from).toISOString(), usage: [...rows] };
  },
});

const isoTime = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);

function readTime(text: string | null | undefined): number | undefined {
  if (text == null) return undefined;
  return isoTime.safeParse(text).success ? Date.parse(text) : Number.NaN;
}
