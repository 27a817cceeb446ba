import { setTimeout as pause } from "node:timers/promises";
import type {} from "@toolwright/doors/mcp";
import { defineTool, fail } from "@toolwright/engine";
import { nothing, textOutput } from "./samples.ts";

export default defineTool({
  name: "failing_job",
  description: "Fails after a second, for clients that do not wait for it.",
  input: nothing,
  output: textOutput,
  effects: { client: ["tasks"] },
  async run(_, { signal }) {
    await pause(1000, undefined, { signal });
    return fail("job_failed", "The job failed.");
  },
});
