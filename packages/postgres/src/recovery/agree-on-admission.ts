import { ToolwrightError } from "@toolwright/engine/errors";
import { type Clock, pause } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { isGoneFrom } from "./process-identity.ts";

interface AdmissionOptions {
  /** This process. */
  readonly process: string;
  /** Whom it lets in, for people to read and to be compared: `people who sign in`. It holds no secret. */
  readonly admits: string;
  readonly leaseMs: number;
  readonly place?: string | undefined;
  readonly clock: Clock;
  /** Milliseconds that a server which differs has to leave. Default 5 000. */
  readonly waitMs?: number;
}

const betweenTriesMs = 250;

/** Puts on record whom a server lets in. Throws `store_in_use` for one that differs from another server of this store that runs. */
export async function agreeOnAdmission(database: Database, options: AdmissionOptions): Promise<void> {
  const { admits, clock, waitMs = 5_000 } = options;
  for (const deadline = clock.monotonic() + waitMs; ; ) {
    const other = await findOther(database, options);
    if (!other) return;
    if (clock.monotonic() > deadline)
      throw new ToolwrightError(
        "store_in_use",
        `${other.role} on ${other.host} uses the same store and lets in ${other.admits}; this server would let in ${admits}. Give both the same sign-in and token settings, or stop that one first.`,
      );
    await pause(betweenTriesMs, clock);
  }
}

interface Other {
  readonly role: string;
  readonly host: string;
  readonly place: string | null;
  readonly admits: string;
}

/** Finds another process that admits others; when two start at once, the second sees the first. One that differs is not put on record. */
function findOther(database: Database, { process, admits, leaseMs, place }: AdmissionOptions): Promise<Other | undefined> {
  return database.asSystem(async (query) => {
    await sql`select pg_advisory_xact_lock(hashtext('toolwright admission'))`.execute(query);
    const { rows } = await sql<Other>`
      select role, host, place, admits from toolwright.processes
      where process <> ${process} and admits <> ${admits} and abs(extract(epoch from clock_timestamp() - seen_at)) * 1000 <= ${leaseMs}
      order by started_at`.execute(query);
    const other = rows.find((row) => !(row.place && place && isGoneFrom(row.place, place)));
    if (!other) await query.updateTable("toolwright.processes").set({ admits }).where("process", "=", process).execute();
    return other;
  });
}
