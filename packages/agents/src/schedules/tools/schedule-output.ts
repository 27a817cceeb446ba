import type { ScheduleRecord } from "@toolwright/engine/ports";
import { z } from "zod";

export const scheduleOutput = z.object({
  id: z.string(),
  name: z.string(),
  tool: z.string(),
  cron: z.string().nullish(),
  zone: z.string(),
  nextAt: z.string().nullish().describe("When it runs next, in UTC; absent when it is over"),
  paused: z.boolean(),
  pauseReason: z.string().nullish(),
  waitReason: z.string().nullish().describe("Why it makes no runs for now, though nobody paused it"),
});

export function describeSchedule({ id, name, tool, cron, zone, nextAt, isPaused, pauseReason, waitReason }: ScheduleRecord) {
  return {
    ...{ id, name, tool, zone, paused: isPaused },
    ...(cron !== undefined && { cron }),
    ...(nextAt !== undefined && { nextAt: new Date(nextAt).toISOString() }),
    ...(pauseReason !== undefined && { pauseReason }),
    ...(waitReason !== undefined && { waitReason }),
  };
}
