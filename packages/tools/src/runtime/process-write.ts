import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { processAliases, processId } from "./describe-process.ts";

/** Writes to the standard input of a background process. What a process reads can make it do anything it may do, so this weighs like running a command. */
export default defineTool({
  name: "process_write",
  title: "Write to process",
  group: "runtime",
  description:
    "Write text to the standard input of a background process: an answer to its question, or data it reads. End a line with a line end or it may not be read. " +
    "Pass end true to close its input after that, which many programs wait for. Read its reaction with process_read. To end it use process_stop.",
  input: z.object({
    id: processId,
    data: z.string().describe("The text, exactly as the process is to read it. May be empty when end is true."),
    end: z.boolean().nullish().describe("True closes the input after the text. Default: false."),
  }),
  output: z.object({
    id: z.string().describe("The process that got the text."),
    bytes: z.int().describe("Bytes that were written."),
    ended: z.boolean().describe("True when its input is closed now."),
  }),
  permission: "commands.tenant.run",
  effects: { exec: "run" },
  examples: [
    { label: "Answer yes", input: { id: "proc_x", data: "yes\n" } },
    { label: "Close its input", input: { id: "proc_x", data: "", end: true } },
  ],
  aliases: { ...processAliases, input: "data", text: "data" },
  ask: ({ id, end }, say) => (end ? say`Write to the process ${id} and close its input?` : say`Write to the process ${id}?`),
  async run({ id, data, end }, { exec }) {
    await exec.write(id, data, { end: end ?? false });
    return { id, bytes: new TextEncoder().encode(data).length, ended: end ?? false };
  },
  toModel: ({ id, bytes, ended }) => [{ type: "text", text: `Wrote ${bytes} bytes to ${id}${ended ? " and closed its input" : ""}.` }],
});
