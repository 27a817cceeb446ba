import { existsSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { PGlite } from "@electric-sql/pglite";
import type { Announcement } from "../database/database.ts";
import type { EmbeddedLink, LinkTransaction } from "./embedded-link.ts";
import { keepTidy } from "./keep-tidy.ts";
import { shareLink } from "./share-link.ts";

export interface HoldOptions {
  /** Makes the database in a folder that is new. */
  readonly create?: ((dataDir: string) => Promise<void>) | undefined;
  readonly socket: string;
  readonly mostSilenceMs: number;
  readonly onAnnouncements: (announcements: readonly Announcement[]) => void;
  /** Gives the folder back. */
  readonly unlock: () => void;
}

/** Milliseconds of queries after which everything else gets its turn. */
const longestTurnMs = 10;

/** Numbers that JavaScript holds exactly: sequences, counts and sizes stay far below 2^53. */
const parsers = { 20: Number };

/** Opens the database of a folder that this process has locked, and lets other processes use it over a unix socket. */
export async function holdFolder(
  folder: string,
  { create, socket, mostSilenceMs, onAnnouncements, unlock }: HoldOptions,
): Promise<EmbeddedLink> {
  const pglite = await openPglite(join(folder, "data"), create);
  const ended = Promise.withResolvers<void>();
  const local = createLocalLink(pglite);
  const stopTidying = keepTidy(pglite);
  const sharing = await shareLink(local, { socket, mostSilenceMs, onAnnouncements });
  return {
    ...local,
    announce(announcements) {
      sharing.tell(announcements);
      onAnnouncements(announcements);
    },
    ended: ended.promise,
    async close() {
      await sharing.close();
      await stopTidying();
      await pglite.close();
      unlock();
      ended.resolve();
    },
  };
}

async function openPglite(dataDir: string, create: HoldOptions["create"]): Promise<PGlite> {
  // Fewer compilers at once halve what the process holds, for some milliseconds.
  setFlagsFromString("--wasm-num-compilation-tasks=1");
  if (create && !existsSync(dataDir)) await create(dataDir);
  const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB"];
  return PGlite.create({ dataDir, parsers, startParams });
}

export function createLocalLink(pglite: PGlite): Pick<EmbeddedLink, "query" | "begin"> {
  type Runner = Pick<PGlite, "query">;
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
  return {
    query: (sql, parameters) => run(pglite, sql, parameters),
    async begin() {
      const begun = Promise.withResolvers<LinkTransaction>();
      const end = Promise.withResolvers<void>();
      // What the transaction comes to: rejects when it is rolled back, which is how PGlite is told to.
      const outcome = pglite.transaction(async (transaction) => {
        begun.resolve({
          query: (sql, parameters) => run(transaction as Runner, sql, parameters),
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
