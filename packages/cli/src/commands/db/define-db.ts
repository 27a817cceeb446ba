import type { Command } from "commander";
import { type Define, withCommon } from "../define.ts";

/** The commands that look after the store. */
export function defineDb(program: Command, define: Define): void {
  const db = program.command("db").description("Look after the store: approvals, log, secrets, everything that lasts").exitOverride();
  const load = (name: "status" | "migrateStore" | "backup" | "restore" | "verify") => async () => (await import("./db.ts"))[name];
  withCommon(define("status", "Say what it is and whether it fits this version", load("status"), db));
  withCommon(define("migrate", "Bring it to this version", load("migrateStore"), db))
    .option("--breaking", "also with steps after which processes of the version before stop working")
    .addHelpText("after", "\nEvery command that uses the store does this by itself, but for breaking steps.");
  withCommon(define("backup <file>", "Write everything to a file, while it is used", load("backup"), db)).addHelpText(
    "after",
    "\nA name that ends in .gz is compressed.\n\nExample:\n  toolwright db backup toolwright-$(date +%F).gz",
  );
  withCommon(define("restore <file>", "Put a backup into a new store, embedded or server", load("restore"), db)).addHelpText(
    "after",
    "\nFrom the embedded database to a server:\n  toolwright db backup all.gz\n  DATABASE_URL=postgres://... toolwright db restore all.gz",
  );
  withCommon(define("tidy", "Remove what is over and was kept for its time, now", async () => (await import("./db-tidy.ts")).tidy, db))
    .option("--dry-run", "only say what would be removed")
    .addHelpText(
      "after",
      "\nEvery process that calls tools does this by itself, one at a time. How long things are kept: TOOLWRIGHT_KEEP_DAYS and the like.",
    );
  withCommon(define("verify", "Check that it is whole: tables, protection, every chain of the log", load("verify"), db));
}
