import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { type DescribedProcess, describeExit, describeProcess, processSchema } from "./describe-process.ts";

/** Lists the background processes of the session. */
export default defineTool({
  name: "process_list",
  title: "List background processes",
  group: "runtime",
  description:
    "List the background processes of this session that exec with background started, those that run and those that ended not long ago. " +
    "Use it when you lost an id or want to know what still runs; to read output use process_read.",
  input: z.object({}),
  output: z.object({ processes: z.array(processSchema).describe("Oldest first.") }),
  permission: "commands.tenant.read",
  effects: { exec: "watch" },
  examples: [{ label: "All of this session", input: {} }],
  ask: (_, say) => say`List the background processes?`,
  async run(_, { exec }) {
    return { processes: (await exec.list()).map(describeProcess) };
  },
  toModel({ processes }) {
    return [{ type: "text", text: processes.length === 0 ? "There are no background processes." : processes.map(describeLine).join("\n") }];
  },
});

function describeLine({ id, exit, command }: DescribedProcess): string {
  return `${id} ${exit ? describeExit(exit) : "running"}: ${command}`;
}
