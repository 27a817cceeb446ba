import type { Clock } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";

/** Which secret, as its row names it, and which tool got it. */
interface NotedUse {
  readonly tenant: string;
  /** Empty for a secret of the whole tenant. */
  readonly agent: string;
  readonly name: string;
  readonly tool: string;
}

/** Writes down uses of secrets aside from the calls. */
interface SecretUses {
  /** Writes the first use at once, and of those that follow within a minute the last one when the minute ends. */
  note(use: NotedUse): void;
  /** Waits for what is being written. */
  settle(): Promise<void>;
  /** Writes what waits. A process that dies without it loses the uses of the last minute. */
  close(): Promise<void>;
}

interface TimedUse extends NotedUse {
  readonly at: number;
}

const everyMs = 60_000;

export function createSecretUses(database: Database, clock: Clock): SecretUses {
  /** Secrets whose minute runs, with the use that waits for its end. */
  const minutes = new Map<string, { readonly stop: () => void; waiting?: TimedUse }>();
  const writing = new Set<Promise<void>>();
  const write = ({ tenant, ...use }: TimedUse) => {
    // A use that the database does not take is not worth a call.
    const written = database
      .asTenant(tenant, (query) => writeUse(query, { tenant, ...use }))
      .catch(() => {})
      .finally(() => writing.delete(written));
    writing.add(written);
  };
  const begin = (key: string, use: TimedUse) => {
    write(use);
    minutes.set(key, { stop: clock.after(everyMs, () => end(key)) });
  };
  const end = (key: string) => {
    const waiting = minutes.get(key)?.waiting;
    if (waiting) begin(key, waiting);
    else minutes.delete(key);
  };
  const settle = async () => void (await Promise.all(writing));
  return {
    note(use) {
      const key = JSON.stringify([use.tenant, use.agent, use.name]);
      const timed = { ...use, at: clock.now() };
      const minute = minutes.get(key);
      if (minute) minute.waiting = timed;
      else begin(key, timed);
    },
    settle,
    async close() {
      // A use of the same instant that is still being written would otherwise come after the one that waits.
      await settle();
      for (const { stop, waiting } of minutes.values()) {
        stop();
        if (waiting) write(waiting);
      }
      minutes.clear();
      await settle();
    },
  };
}

/** Another process may have written a later one. */
async function writeUse(query: Query, { tenant, agent, name, tool, at }: TimedUse): Promise<void> {
  const usedAt = new Date(at);
  await query
    .updateTable("toolwright.secrets")
    .set({ last_used_at: usedAt, last_used_by: tool })
    .where((where) => where.and({ tenant, agent, name }))
    .where((where) => where.or([where("last_used_at", "is", null), where("last_used_at", "<=", usedAt)]))
    .execute();
}
