import { defineTool, type Exec } from "@toolwright/engine";
import type { CommandResult, ProcessOutput } from "@toolwright/engine/ports";
import { z } from "zod";
import { describeExit, exitCodeOf, exitSchema, pickExit } from "./describe-process.ts";

/** Bytes of each stream in an answer: about what a model reads with profit. */
const maxOutputBytes = 32_000;
/** Time for a background process to fail at once or to say that it is up. */
const firstOutputMs = 1000;

const output = z.object({
  exit: exitSchema
    .nullable()
    .describe("How the command ended, or null when it runs in the background. A non-zero exit code is a result, not an error of the tool."),
  stdout: z.string().describe("Standard output; of a long one its beginning and end, with a line between that says how much is missing."),
  stderr: z.string().describe("Standard error, cut like stdout."),
  truncated: z.boolean().optional().describe("True when stdout or stderr was cut; absent otherwise."),
  artifacts: z.array(z.string()).optional().describe("Ids of artifacts that hold what was cut."),
  processId: z.string().optional().describe("Of a command that runs in the background, or went on there: pass it to the process tools."),
  cursor: z.int().optional().describe("Of a command in the background: pass it to process_read to read on after this output."),
});

/** Runs a command line in the sandbox. */
export default defineTool({
  name: "exec",
  title: "Run command",
  group: "runtime",
  description:
    "Run a command line with bash in the sandbox, in the workspace: builds, tests, git, scripts. Do not use it for what a cheaper tool does: " +
    "file_read, file_write and file_edit for files, file_list and file_search instead of ls, find and grep. Each call is a new shell: nothing but files stays, so pass workdir instead of cd. " +
    "One plain command is judged more easily than a long line of several. A command that does not end by itself (a server, a watcher) needs background true: " +
    "follow it with process_read and end it with process_stop. Nothing can be typed in, so pass flags that answer prompts. Look at the exit code: not 0 means that the command failed. " +
    "Of long output you see the beginning and the end: send what you expect to be long to a file, and use file_search and file_read on it.",
  policyNote: ({ sandbox }) =>
    `A command that you wait for gets at most ${sandbox.timeoutMs / 1000} s; what takes longer goes on in the background.`,
  input: z.object({
    command: z.string().min(1).describe("The command line, for bash."),
    workdir: z.string().min(1).nullish().describe("Folder to run in, relative to the workspace. Default: the workspace itself."),
    timeout: z
      .number()
      .min(0.1)
      .max(86_400)
      .nullish()
      .describe("Seconds after which it is killed. Default and most: what the policy sets."),
    background: z
      .boolean()
      .nullish()
      .describe("True starts it and returns at once with a processId; it outlives this call. Default: wait for the end."),
  }),
  output,
  permission: "commands.tenant.run",
  effects: { exec: "run" },
  examples: [
    { label: "Run the tests", input: { command: "npm test", timeout: 120 } },
    { label: "The state of a repository in a folder", input: { command: "git status --short", workdir: "packages/app" } },
    { label: "A server that goes on", input: { command: "npm run dev", background: true } },
  ],
  aliases: {
    cmd: "command",
    script: "command",
    shell_command: "command",
    bash: "command",
    sh: "command",
    cwd: "workdir",
    run_in_background: "background",
  },
  asksOn: "approved",
  // The time of a run is the policy's to limit; the output bound leaves room for both streams when every character is escaped.
  limits: { timeoutMs: 24 * 60 * 60 * 1000, maxOutputBytes: 5 * maxOutputBytes },
  reaches: ({ command, workdir }) => [{ kind: "command", command, workdir: workdir ?? null }],
  ask({ command, workdir, background }, say) {
    const folder = workdir ?? ".";
    if (background)
      return folder === "." ? say`Start ${command} in the background?` : say`Start ${command} in ${folder}, in the background?`;
    return folder === "." ? say`Run ${command}?` : say`Run ${command} in ${folder}?`;
  },
  async run({ command, workdir, timeout, background }, { exec, patience, note }) {
    const spec = { command, workdir: workdir ?? null, ...(timeout != null && { timeoutMs: timeout * 1000 }) };
    if (background) return startInBackground(exec, spec);
    if (!patience) return describeResult(await exec.run({ ...spec, maxOutputBytes }), note);
    const ran = await exec.runWithin({ ...spec, maxOutputBytes }, patience);
    if (!("info" in ran)) return describeResult(ran, note);
    note(sayHandedOver(ran.info.id, patience.ms));
    return describeRunning(ran);
  },
  streamed: ["stdout", "stderr"],
  exitCode: ({ exit }) => (exit === null ? undefined : exitCodeOf(exit)),
  toModel(result) {
    const { exit, stdout, stderr, processId, cursor } = result;
    const state = exit ? describeExit(exit) : `running in the background as ${processId}; go on with process_read, cursor ${cursor}`;
    const streams = [showStream("stdout", stdout), showStream("stderr", stderr)].filter((text) => text !== "");
    return [{ type: "text", text: [state, ...streams].join("\n") }];
  },
});

/** What is not so is left out: a model pays for every member of every answer. */
function describeResult(result: CommandResult, note: (sentence: string) => void): z.infer<typeof output> {
  const { stdout, stderr, truncations, artifacts } = result;
  for (const cut of truncations) note(describeCut(cut));
  return {
    exit: pickExit(result),
    stdout,
    stderr,
    ...(truncations.length > 0 && { truncated: true }),
    ...(artifacts.length > 0 && { artifacts: artifacts.map(({ id }) => id) }),
  };
}

function describeCut({ path, kept, total, artifact }: CommandResult["truncations"][number]): string {
  const where = artifact === undefined ? "The whole could not be kept." : `The whole is artifact ${artifact}.`;
  return `${path.slice(1)} was cut: ${kept} of ${total} bytes are here. ${where}`;
}

async function startInBackground(exec: Exec, spec: Parameters<Exec["start"]>[0]): Promise<z.infer<typeof output>> {
  const { id } = await exec.start(spec);
  return describeRunning(await exec.read(id, { waitMs: firstOutputMs }));
}

function sayHandedOver(id: string, ms: number): string {
  return `The command still ran after ${ms / 1000} s and goes on in the background as ${id}. Wait for it with process_read, or end it with process_stop.`;
}

function describeRunning({ text, cursor, missed, info }: ProcessOutput): z.infer<typeof output> {
  return {
    exit: info.exit ? pickExit(info.exit) : null,
    stdout: text,
    stderr: "",
    ...(missed > 0 && { truncated: true }),
    processId: info.id,
    cursor,
  };
}

function showStream(name: string, text: string): string {
  return text === "" ? "" : `${name}:\n${text.endsWith("\n") ? text.slice(0, -1) : text}`;
}
