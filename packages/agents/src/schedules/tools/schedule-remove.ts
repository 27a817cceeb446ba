import { defineTool } from "@toolwright/engine";
import { RUN_AGENTS } from "@toolwright/engine/ports";
import { z } from "zod";
import type {} from "../schedules-capability.ts";

/** Ends one of the caller's schedules. */
export default defineTool({
  name: "schedule_remove",
  title: "Remove a schedule",
  group: "schedules",
  icon: "calendar-x",
  description: "Remove one of your schedules: it runs no more. What it did stays. Take the id or name from schedule_list.",
  input: z.object({ schedule: z.string().min(1).describe("Id or name of the schedule") }),
  output: z.object({ removed: z.string() }),
  permission: RUN_AGENTS,
  effects: { schedules: "write" },
  examples: [{ label: "By name", input: { schedule: "morning" } }],
  async run({ schedule }, { schedules }) {
    await schedules.remove(schedule);
    return { removed: schedule };
  },
});
