import { z } from "zod";
import { READ_LOG } from "../contract/permissions.ts";
import { type Usage, usageGroups } from "../ports/usage-reader.ts";
import { defineOperation } from "./define-operation.ts";
import { listOf, time } from "./json-parts.ts";

const usage: z.ZodType<Usage> = z.object({
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

export const getUsage = defineOperation({
  name: "usage.get",
  title: "Get usage",
  description: "Sums up calls of the tenant by tool, agent or time. Needs the permission log:read.",
  permission: READ_LOG,
  effect: "read",
  needs: ["usage"],
  input: z.object({
    by: z.enum(usageGroups),
    since: time("Counted from the beginning of its hour"),
    until: time("Not counted any more").optional(),
    tool: z.string().optional(),
    agent: z.string().optional(),
  }),
  output: listOf(usage),
  run: async (filter, { principal, ports }) => ({ items: await ports.usage.read({ ...filter, tenant: principal.tenant }) }),
});
