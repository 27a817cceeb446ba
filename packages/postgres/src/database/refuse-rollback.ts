import { AbortedTransactionError } from "kysely";

/** Takes the command by which PostgreSQL answers a commit. Where a statement had failed before, it is no error but `ROLLBACK`. */
export function refuseRollback(command: string | undefined): void {
  if (command === "ROLLBACK") throw new AbortedTransactionError();
}
