import type { Command } from "commander";
import { type Define, groupOf, withCommon, withServer, withTenant } from "../define.ts";

/** The commands of the log that no operation gives. */
export function defineLog(program: Command, define: Define): void {
  const log = groupOf(program, "log");
  const load = (name: "verify" | "anchor") => async () => (await import("./log.ts"))[name];
  withServer(define("verify [file]", "Find edited, removed, moved or truncated events, in the store or in an export", load("verify"), log))
    .option("--session <name>", "only this session")
    .option("--all", "every session of every tenant")
    .option("--anchor <file>", "compare with the heads in this anchor file")
    .addHelpText(
      "after",
      "\nExit code 1 when something was found.\n\nExample:\n  toolwright log verify --all --anchor /mnt/vault/heads-2026-01-31.json\n  toolwright log verify calls.jsonl",
    );
  withCommon(define("anchor <file>", "Write the head of every session to a file, for log verify --anchor", load("anchor"), log)).option(
    "--tenant <name>",
    "only this tenant (default: all of them)",
  );
  withTenant(
    define("export", "Write events to stdout, one JSON object a line", async () => (await import("./log-export.ts")).exportLog, log),
  )
    .option("--since <time>", "events since then: a span (12h, 30d) or a date (default: all)")
    .addHelpText("after", "\nExample:\n  toolwright log export --since 30d > calls.jsonl");
}
