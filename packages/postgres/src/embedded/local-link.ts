import type { PGlite } from "@electric-sql/pglite";
import { canWrite, noRoom } from "./disk-room.ts";
import type { EmbeddedLink, LinkTransaction } from "./embedded-link.ts";

/** Milliseconds of queries after which everything else gets its turn. */
const longestTurnMs = 10;

type Runner = Pick<PGlite, "query">;

/** The database of this process. Where its disk has no room left it reads and writes nothing. */
export function createLocalLink(pglite: PGlite, folder: string): Pick<EmbeddedLink, "query" | "begin"> {
  let turnedAt = performance.now();
  const run = async (runner: Runner, sql: string, parameters: readonly unknown[]) => {
    // Its queries end without leaving the turn of the event loop: without this, a run of them holds back timers and requests.
    if (performance.now() - turnedAt > longestTurnMs) {
      await new Promise((resolve) => setImmediate(resolve));
      turnedAt = performance.now();
    }
    const { rows, affectedRows } = await runner.query<Record<string, unknown>>(sql, [...parameters]);
    return { rows, affected: affectedRows };
  };
  const write: typeof run = (...query) => (canWrite(folder) ? run(...query) : Promise.reject(noRoom()));
  const read: typeof run = (...query) => run(...query).catch((error: unknown) => Promise.reject(isWriting(error) ? noRoom() : error));
  const choose = async (transaction: Runner) => {
    if (canWrite(folder)) return write;
    await transaction.query("SET TRANSACTION READ ONLY");
    return read;
  };
  return {
    query: (sql, parameters) =>
      canWrite(folder)
        ? run(pglite, sql, parameters)
        : pglite.transaction(async (transaction) => (await choose(transaction as Runner))(transaction as Runner, sql, parameters)),
    async begin() {
      const begun = Promise.withResolvers<LinkTransaction>();
      const end = Promise.withResolvers<void>();
      // What the transaction comes to: rejects when it is rolled back, which is how PGlite is told to.
      const outcome = pglite.transaction(async (transaction) => {
        const perform = await choose(transaction as Runner);
        begun.resolve({
          query: (sql, parameters) => perform(transaction as Runner, sql, parameters),
          async commit() {
            end.resolve();
            await outcome;
          },
          async rollback() {
            end.reject(new Error("rolled back"));
            await outcome.catch(() => undefined);
          },
        });
        await end.promise;
      });
      outcome.catch(begun.reject);
      return begun.promise;
    },
  };
}

/** A write in a transaction that only reads. */
function isWriting(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "25006";
}
