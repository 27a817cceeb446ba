import { z } from "zod";
import { READ_LOG } from "../contract/permissions.ts";
import { limitedThings, limitsPort, type PersonLimits } from "../ports/person-limits.ts";
import { turnUsageGroups } from "../ports/turn-usage.ts";
import { turnsPort } from "../ports/turns.ts";
import { usageGroups, usagePort } from "../ports/usage-reader.ts";
import { defineOperation } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf, time } from "./json-parts.ts";
import { turnUsage } from "./turn-usage.ts";
import { limitsView, modelUsageView, usageView } from "./views/usage.ts";

const usage = z.object({
  key: z.string().describe("The tool, the agent, or the beginning of the hour or day in UTC"),
  calls: z.int(),
  done: z.int(),
  failed: z.int(),
  unknown: z.int(),
  denied: z.int(),
  cancelled: z.int(),
  durationMs: z.number(),
  p50Ms: z.number().nullable(),
  p95Ms: z.number().nullable(),
  inputTokens: z.int(),
  cachedInputTokens: z.int(),
  cacheWriteTokens: z.int(),
  outputTokens: z.int(),
  cost: z.number().describe("US dollars, as the tools said"),
});

const since = { reads: "past", about: "a span (30m, 12h, 7d) or a date", usual: "7d" } as const;
const agentOption = { flags: "--agent <id>", about: "only of this agent" };

const getUsage = defineOperation({
  name: "usage.get",
  at: "GET /usage",
  title: "Get usage",
  description: "Sums up calls of the tenant by tool, agent or time. Needs the permission log:read.",
  permission: READ_LOG,
  effect: "read",
  needs: [usagePort],
  input: z.object({
    by: z.enum(usageGroups),
    since: time("Counted from the beginning of its hour"),
    until: time("Not counted any more").optional(),
    tool: z.string().optional(),
    agent: z.string().optional(),
  }),
  output: listOf(usage),
  shell: {
    form: "usage",
    about: "Report call counts, durations, tokens and cost",
    options: {
      by: { flags: "--by <group>", usual: "tool" },
      since,
      until: false,
      tool: { flags: "--tool <name>", about: "only of this tool" },
      agent: agentOption,
    },
    store: true,
    examples: ["usage --by agent --since 30d --json", "usage models --by agent", "usage limits"],
  },
  view: usageView,
  run: async (filter, { principal, ports }) => ({ items: await ports.usage.read({ ...filter, tenant: principal.tenant }) }),
});

const getModelUsage = defineOperation({
  name: "usage.models",
  at: "GET /usage/models",
  title: "Get usage of models",
  description: "Sums up what agents of the tenant asked of models, by model, agent or day. Needs the permission log:read.",
  permission: READ_LOG,
  effect: "read",
  needs: [turnsPort],
  input: z.object({
    by: z.enum(turnUsageGroups),
    since: time("Turns that began then or later"),
    until: time("Not counted any more").optional(),
    agent: z.string().optional(),
    model: z.string().optional().describe("As provider/name"),
  }),
  output: listOf(turnUsage),
  shell: {
    form: "usage models",
    about: "Report what agents asked of models",
    options: { by: { flags: "--by <group>", usual: "model" }, since, until: false, agent: agentOption, model: false },
    store: true,
    examples: ["usage models --by agent --since 30d"],
  },
  view: modelUsageView,
  run: async (filter, { principal, ports }) => ({ items: await ports.turns.usage({ ...filter, tenant: principal.tenant }) }),
});

const limitNames = Object.keys(limitedThings) as [keyof PersonLimits, ...(keyof PersonLimits)[]];

const limitUse = z.object({
  limit: z.enum(limitNames),
  counts: z.string().describe("What it counts, in words"),
  used: z.number().describe("Of the person for whom the request acts"),
  most: z.number().describe("More than this is refused"),
});

const getLimits = defineOperation({
  name: "usage.limits",
  at: "GET /usage/limits",
  title: "Get own limits",
  description: "Lists the limits of the person for whom the request acts, and how much of each is used. Needs no permission.",
  effect: "read",
  needs: [limitsPort],
  input: z.object({}),
  output: listOf(limitUse),
  shell: { form: "usage limits", about: "List your own limits, and how much of each is used", store: true },
  view: limitsView,
  async run(_, { principal, ports }) {
    const items = await ports.limits.read(principal);
    return { items: items.map((item) => ({ ...item, counts: limitedThings[item.limit] })) };
  },
});

export const usageSubject = defineSubject({
  name: "usage",
  store: [usagePort, limitsPort],
  operations: [getUsage, getModelUsage, getLimits],
});
