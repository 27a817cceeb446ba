import { defineTool } from "@toolwright/engine";
import { z } from "zod";
import { describeExit, describeProcess, processAliases, processId, processSchema } from "./describe-process.ts";

const maxBytes = 40_000;

/** Reads output of a background process. */
export default defineTool({
  name: "process_read",
  title: "Read process output",
  group: "runtime",
  description:
    "Read what a background process has put out, and whether it still runs. Pass the cursor of the last read to get only what is new. " +
    "Pass wait to let this call wait for new output or the end: that is cheaper than asking again and again, and better than sleep with exec.",
  input: z.object({
    id: processId,
    cursor: z.int().min(0).nullish().describe("Where to read on: the cursor of the last read. Default: the oldest output that is kept."),
    wait: z.number().min(0).max(60).nullish().describe("Seconds to wait for new output or the end. Default: 0, do not wait."),
  }),
  output: z.object({
    text: z.string().describe("Standard output and standard error, in the order they came."),
    cursor: z.int().describe("Pass it to the next read."),
    missed: z.int().describe("Bytes before the text that are not kept any more."),
    process: processSchema.describe("The process as it is now."),
  }),
  permission: "commands.tenant.read",
  effects: { exec: "watch" },
  examples: [{ label: "Wait up to 30 seconds for what is new", input: { id: "proc_x", cursor: 120, wait: 30 } }],
  aliases: processAliases,
  ask: ({ id }, say) => say`Read the output of the process ${id}?`,
  async run({ id, cursor, wait }, { exec, patience }) {
    const waitMs = Math.min((wait ?? 0) * 1000, patience?.ms ?? Number.POSITIVE_INFINITY);
    const { info, ...read } = await exec.read(id, { cursor: cursor ?? 0, waitMs, maxBytes });
    return { ...read, process: describeProcess(info) };
  },
  toModel({ text, cursor, missed, process }) {
    const state = process.exit ? describeExit(process.exit) : "running";
    const lines = [`${process.id}: ${state}, cursor ${cursor}`];
    if (missed > 0) lines.push(`[${missed} bytes before this are not kept any more]`);
    lines.push(text === "" ? "[no new output]" : text);
    return [{ type: "text", text: lines.join("\n") }];
  },
});
