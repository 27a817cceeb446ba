import type { Command } from "commander";
import { type Define, groupOf, withCommon } from "../define.ts";

/** The commands that look after the store. */
export function defineDb(program: Command, define: Define): void {
  const db = groupOf(program, "db");
  const load = (name: "migrateStore" | "backup" | "restore") => async () => (await import("./db.ts"))[name];
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
  withCommon(
    define("vectors", "Index the vectors of texts on a PostgreSQL server", async () => (await import("./db-vectors.ts")).vectors, db),
  ).addHelpText(
    "after",
    "\nThe server needs pgvector. Calls go on meanwhile. Run it again when texts became many, and after another model has made their vectors anew.",
  );
}
