import type { Logger } from "@toolwright/engine";
import { CompiledQuery, type Kysely } from "kysely";
import type { Database, Query } from "../../database/database.ts";
import type { Tables } from "../../database/tables.ts";
import { splitStatements } from "./split-statements.ts";

/** Says which job a worker is to look at; everything else is in our own tables. */
export interface Ticket {
  readonly id: string;
  readonly tenant: string;
  readonly job: string;
  /** Number of this delivery in the queue. */
  readonly retryCount: number;
}

export interface NewTicket extends Pick<Ticket, "id" | "tenant" | "job"> {
  /** Higher ones go first. */
  readonly priority: number;
}

/** Hands tickets to workers: each to one at a time, and to another when its worker falls silent. */
export interface Queue {
  /** In the transaction that is given, with the login's own rights. */
  add(query: Query, tickets: readonly NewTicket[]): Promise<void>;
  take(most: number): Promise<readonly Ticket[]>;
  /** False when another worker has it by now. */
  keep(ticket: Ticket): Promise<boolean>;
  /** The ticket is dealt with. */
  drop(ticket: Ticket): Promise<void>;
  /** Those of these ids that are still to be dealt with. */
  alive(ids: readonly string[]): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

const name = "toolwright";
/** Seconds without a sign of its worker after which a ticket goes to another one, and between two looks for such tickets. */
const heartbeatSeconds = 10;
const superviseSeconds = 5;
const day = 24 * 60 * 60;

/** pg-boss in its own schema, over the connections of the store: it carries tickets and notices workers that died, and knows nothing else. */
export async function openQueue(database: Database, logger: Logger): Promise<Queue> {
  // For workers alone, so nobody else waits for it to load.
  const { fromKysely, PgBoss } = await import("pg-boss");
  const boss = new PgBoss({
    db: { executeSql: (text, values) => executeSql(database.owner, text, values) },
    backend: database.kind === "embedded" ? "pglite" : "postgres",
    schema: "pgboss",
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    reindex: false,
    monitorVacuum: false,
  });
  boss.on("error", (error) => logger.log("warn", "The queue of jobs had a failure; it tries again.", { error: error.message }));
  await boss.start();
  await boss.createQueue(name, {
    heartbeatSeconds,
    // Ours decide how often a job is tried; a ticket only has to outlive any number of dead workers.
    retryLimit: 10_000,
    retryDelay: 0,
    expireInSeconds: day - 1,
    retentionSeconds: 30 * day,
    deleteAfterSeconds: 60,
  });
  // It then knows the queue and asks nothing in the middle of a transaction, where an embedded database would wait for itself.
  await boss.findJobs(name, { id: "00000000-0000-0000-0000-000000000000" });
  return {
    async add(query, tickets) {
      await boss.insert(
        name,
        tickets.map(({ id, tenant, job, priority }) => ({ id, priority, data: { tenant, job } })),
        { db: fromKysely(query) },
      );
    },
    async take(most) {
      const jobs = await boss.fetch<Pick<Ticket, "tenant" | "job">>(name, { batchSize: most, includeMetadata: true });
      return jobs.map(({ id, retryCount, data: { tenant, job } }) => ({ id, retryCount, tenant, job }));
    },
    async keep({ id, retryCount }) {
      const { affected } = (await boss.touch(name, { id, retryCount })) as { readonly affected: number };
      return affected > 0;
    },
    async drop({ id, retryCount }) {
      await boss.complete(name, { id, retryCount });
    },
    async alive(ids) {
      const { rows } = await executeSql(
        database.owner,
        "select id::text from pgboss.job where name = $1 and id = any($2::uuid[]) and state in ('created', 'retry', 'active')",
        [name, ids],
      );
      return new Set(rows.map(({ id }) => id as string));
    },
    close: () => boss.stop({ graceful: false, close: false }),
  };
}

/** Without values it may be a script, with its own BEGIN and COMMIT. */
async function executeSql(owner: Kysely<Tables>, text: string, values: unknown[] = []): Promise<{ rows: Record<string, unknown>[] }> {
  const run = async (db: Pick<Kysely<Tables>, "executeQuery">, statement: string) => {
    const { rows } = await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(statement, values));
    return rows;
  };
  const statements = values.length > 0 ? [text] : splitStatements(text);
  if (statements.length === 1) return { rows: await run(owner, text) };
  const inside = statements.filter((statement) => !/^(begin|commit)$/i.test(statement));
  return owner.transaction().execute(async (transaction) => {
    const rows: Record<string, unknown>[] = [];
    for (const statement of inside) rows.push(...(await run(transaction, statement)));
    return { rows };
  });
}
