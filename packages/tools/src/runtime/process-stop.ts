import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { describeExit, describeProcess, processAliases, processId, processSchema } from "./describe-process.ts";

/** Ends a background process. */
export default defineTool({
  name: "process_stop",
  title: "Stop process",
  group: "runtime",
  description:
    "End a background process and everything it started. Use it as soon as you need a process no more: only so many may run at once. " +
    "Its output can still be read with process_read for a while. Stopping one that has ended changes nothing.",
  input: z.object({ id: processId }),
  output: z.object({ process: processSchema.describe("The process as it is now.") }),
  permission: "commands.tenant.run",
  effects: { exec: "manage", idempotent: true },
  examples: [{ label: "Stop a server", input: { id: "proc_x" } }],
  aliases: processAliases,
  ask: ({ id }, say) => say`Stop the process ${id}?`,
  async run({ id }, { exec }) {
    return { process: describeProcess(await exec.stop(id)) };
  },
  toModel: ({ process }) => [{ type: "text", text: `${process.id}: ${process.exit ? describeExit(process.exit) : "still ending"}` }],
});
