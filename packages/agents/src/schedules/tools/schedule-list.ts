import { defineTool } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "../schedules-capability.ts";
import { describeSchedule, scheduleOutput } from "./schedule-output.ts";

/** Lists the caller's schedules. */
export default defineTool({
  name: "schedule_list",
  title: "List schedules",
  group: "schedules",
  icon: "calendar",
  description: "List your schedules, with when each runs next. Use it before you add or remove one.",
  input: z.object({}),
  output: z.object({ schedules: z.array(scheduleOutput) }),
  permission: RUN_AGENTS,
  effects: { schedules: "read" },
  examples: [{ label: "All of them", input: {} }],
  run: async (_, { schedules }) => ({ schedules: (await schedules.list()).map(describeSchedule) }),
});
