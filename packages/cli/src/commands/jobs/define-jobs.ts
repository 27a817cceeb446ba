import type { Command } from "commander";
import { type Define, groupOf, withCommon, withServer } from "../define.ts";

/** The commands for calls that run later, and for what runs them. */
export function defineJobs(program: Command, define: Define): void {
  defineWorker(define);
  defineJobCommands(program, define);
  defineSchedules(program, define);
}

function defineWorker(define: Define): void {
  withCommon(
    define("worker", "Run jobs and schedules; any number of workers can share a store", async () => (await import("./worker.ts")).worker),
  )
    .option("--concurrency <count>", "jobs at once (default: 8)")
    .option("--per-tenant <count>", "jobs of one tenant at once, over all workers (default: 4)")
    .option("--grace <seconds>", "time for running jobs to end after a signal (default: 10)");
}

function defineJobCommands(program: Command, define: Define): void {
  withServer(define("run <tool>", "Enqueue a tool call", async () => (await import("./jobs.ts")).run, groupOf(program, "jobs")))
    .option("--input <json>", "the input, one JSON object")
    .option("--at <time>", "start at this time: 2026-12-01T09:00, local time unless it names an offset (09:00Z, 09:00+09:00), or +90m")
    .option("--after <job...>", "start when these jobs are done")
    .option("--key <text>", "the same key gives the same job")
    .option("--session <name>", "session of the call (default: a new one)")
    .option("--attempts <count>", "maximum number of runs after temporary failures (default: 3)")
    .option(
      "--allow <what...>",
      "what would ask and runs unasked in this job: input, 'command git push *', 'path write docs', 'request GET api.example.org'",
    )
    .option("--wait", "wait for the job to end and print its result")
    .addHelpText("after", `\nExample:\n  toolwright jobs run web_fetch --input '{"url": "https://example.org"}' --at +10m`);
}

function defineSchedules(program: Command, define: Define): void {
  const schedule = groupOf(program, "schedule");
  withServer(define("add <name> <tool>", "Call a tool at set times, or once", async () => (await import("./schedule.ts")).add, schedule))
    .option("--cron <line>", "minute, hour, day of month, month, day of week")
    .option("--zone <name>", "time zone of the cron line, e.g. Europe/Berlin (default: that of this machine)")
    .option("--at <time>", "once: 2026-12-01T09:00, local time unless it names an offset (09:00Z, 09:00+09:00), or +90m")
    .option("--input <json>", "the input, one JSON object")
    .option("--missed <rule>", "what to do with missed runs: skip, once, or all:20 (default: once)")
    .option(
      "--allow <what...>",
      "what would ask and runs unasked in these jobs, until it is removed and at most for a year: see toolwright jobs run --help",
    )
    .addHelpText(
      "after",
      `\nExample:\n  toolwright schedule add news web_fetch --cron "30 9 * * 1-5" --zone Europe/Berlin --input '{"url": "https://example.org"}'`,
    );
}
