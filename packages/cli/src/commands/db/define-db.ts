import type { Command } from "commander";
import { type Define, withCommon } from "../define.ts";

/** The commands that look after the store. */
export function defineDb(program: Command, define: Define): void {
  const db = program.command("db").description("Maintain the store: approvals, log, secrets and all other durable data").exitOverride();
  const load = (name: "status" | "migrateStore" | "backup" | "restore" | "verify") => async () => (await import("./db.ts"))[name];
  withCommon(define("status", "Show the store and whether its version fits", load("status"), db));
  withCommon(define("migrate", "Migrate the store to this version", load("migrateStore"), db))
    .option("--breaking", "include migrations that stop processes of the previous version")
    .addHelpText("after", "\nEvery command that opens the store applies all other migrations by itself.");
  withCommon(define("backup <file>", "Back up the whole store to a file, also while it is in use", load("backup"), db)).addHelpText(
    "after",
    "\nA name that ends in .gz is compressed.\n\nExample:\n  toolwright db backup toolwright-$(date +%F).gz",
  );
  withCommon(define("restore <file>", "Restore a backup into an empty store, embedded or server", load("restore"), db)).addHelpText(
    "after",
    "\nFrom the embedded database to a server:\n  toolwright db backup all.gz\n  DATABASE_URL=postgres://... toolwright db restore all.gz",
  );
  withCommon(define("tidy", "Remove records whose retention period has passed", async () => (await import("./db-tidy.ts")).tidy, db))
    .option("--dry-run", "only report what would be removed")
    .addHelpText(
      "after",
      "\nProcesses that call tools do this once an hour. TOOLWRIGHT_KEEP_DAYS, TOOLWRIGHT_KEEP_LOG_DAYS and TOOLWRIGHT_KEEP_ARTIFACTS_DAYS set the periods.",
    );
  withCommon(
    define("vectors", "Index the vectors of texts on a PostgreSQL server", async () => (await import("./db-vectors.ts")).vectors, db),
  ).addHelpText(
    "after",
    "\nThe server needs pgvector. Calls go on meanwhile. Run it again when texts became many, and after another model has made their vectors anew.",
  );
  withCommon(define("verify", "Check the store: tables, tenant isolation, every chain of the log", load("verify"), db));
}
