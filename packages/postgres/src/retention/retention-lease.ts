import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";

interface LeaseOptions {
  /** Who takes it. */
  readonly process: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Milliseconds after which whoever is at it and did nothing is taken for gone. */
const leaseMs = 120_000;
const work = "retention";

/** Takes the work for one process when nobody has it and, unless it is wanted now, when it is due. False: not now. */
export function takeLease(database: Database, { process, now, isWanted }: LeaseOptions & { readonly isWanted: boolean }): Promise<boolean> {
  const [at, until] = [new Date(now), new Date(now + leaseMs)];
  return database.asSystem(async (query) => {
    // Mostly it is not due, and to look is less than to try.
    if (!isWanted && (await isLater(query, at))) return false;
    const { rows } = await sql`
      insert into toolwright.upkeep as kept (work, due_at, process, leased_until) values (${work}, ${at}, ${process}, ${until})
        on conflict (work) do update set process = excluded.process, leased_until = excluded.leased_until
          where (kept.due_at <= ${at} or ${isWanted}) and (kept.process is null or kept.leased_until <= ${at})
        returning 1`.execute(query);
    return rows.length > 0;
  });
}

async function isLater(query: Query, at: Date): Promise<boolean> {
  const found = await query
    .selectFrom("toolwright.upkeep")
    .select("work")
    .where("work", "=", work)
    .where("due_at", ">", at)
    .executeTakeFirst();
  return found !== undefined;
}

/** In each transaction of the work, first: whoever lost it meanwhile changes nothing, and no two are in the middle of it at once. */
export async function keepLease(query: Query, { process, now }: LeaseOptions): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("toolwright.upkeep")
    .set({ leased_until: new Date(now + leaseMs) })
    .where("work", "=", work)
    .where("process", "=", process)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives it back. With an outcome it is done, and due again at `dueAt`; else the next one goes on with it. */
export async function endLease(
  database: Database,
  { process, now }: LeaseOptions,
  done?: { readonly outcome: object; readonly dueAt: number },
): Promise<void> {
  await database.asSystem((query) =>
    query
      .updateTable("toolwright.upkeep")
      .set({
        process: null,
        leased_until: null,
        ...(done && { due_at: new Date(done.dueAt), done_at: new Date(now), outcome: JSON.stringify(done.outcome) }),
      })
      .where("work", "=", work)
      .where("process", "=", process)
      .execute(),
  );
}

export interface LastRetention {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly removed: Readonly<Record<string, number>>;
}

/** When what is over was last removed, and how much that was; undefined when it never was. */
export function readLastRetention(database: Database): Promise<LastRetention | undefined> {
  return database.asSystem(async (query) => {
    const row = await query.selectFrom("toolwright.upkeep").selectAll().where("work", "=", work).executeTakeFirst();
    return row?.done_at ? { at: row.done_at.getTime(), removed: row.outcome as LastRetention["removed"] } : undefined;
  });
}
