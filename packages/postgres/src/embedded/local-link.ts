import type { PGlite } from "@electric-sql/pglite";
import { type Role, taking } from "../database/roles.ts";
import { canWrite, noRoom } from "./disk-room.ts";
import type { EmbeddedLink, LinkTransaction } from "./embedded-link.ts";
import { openSession, type Run } from "./pglite-session.ts";

/** Milliseconds of queries after which everything else gets its turn. */
const longestTurnMs = 10;

/** The database of this process. Where its disk has no room left it reads and writes nothing. */
export async function createLocalLink(pglite: PGlite, folder: string): Promise<Pick<EmbeddedLink, "query" | "begin">> {
  const session = await openSession(pglite);
  let turnedAt = performance.now();
  /** Its queries end without leaving the turn of the event loop: without this, a run of them holds back timers and requests. */
  const takeTurns =
    (run: Run): Run =>
    async (...statements) => {
      if (performance.now() - turnedAt > longestTurnMs) {
        await new Promise((resolve) => setImmediate(resolve));
        turnedAt = performance.now();
      }
      return run(...statements);
    };
  const write =
    (run: Run): Run =>
    (...statements) =>
      canWrite(folder) ? run(...statements) : Promise.reject(noRoom());
  const read =
    (run: Run): Run =>
    (...statements) =>
      run(...statements).catch((error: unknown) => Promise.reject(isWriting(error) ? noRoom() : error));
  const begin = (role?: Role) => {
    const begun = Promise.withResolvers<LinkTransaction>();
    const end = Promise.withResolvers<"commit" | "rollback">();
    const outcome = session.exclusively(async (run) => {
      const mayWrite = canWrite(folder);
      const perform = (mayWrite ? write : read)(takeTurns(run));
      try {
        await run([{ sql: mayWrite ? "begin" : "begin read only" }, ...(role ? [taking(role)] : [])]);
      } catch (error) {
        await run([{ sql: "rollback" }]);
        throw error;
      }
      begun.resolve({
        query: (sql, parameters) => perform([{ sql, parameters }], role?.name),
        commit() {
          end.resolve("commit");
          return outcome;
        },
        async rollback() {
          end.resolve("rollback");
          await outcome.catch(() => undefined);
        },
      });
      return (await run([{ sql: await end.promise }])).command;
    });
    outcome.catch(begun.reject);
    return begun.promise;
  };
  return {
    begin,
    async query(sql, parameters) {
      if (canWrite(folder)) return session.exclusively((run) => takeTurns(run)([{ sql, parameters }]));
      const transaction = await begin();
      try {
        return await transaction.query(sql, parameters);
      } finally {
        await transaction.rollback();
      }
    },
  };
}

/** A write in a transaction that only reads. */
function isWriting(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === "25006";
}
