import { existsSync } from "node:fs";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import type { Announcement } from "../database/database.ts";
import { canCheckpoint } from "./disk-room.ts";
import type { EmbeddedLink } from "./embedded-link.ts";
import { guardCrash } from "./guard-crash.ts";
import { keepTidy } from "./keep-tidy.ts";
import { loadPglite } from "./load-pglite.ts";
import { createLocalLink } from "./local-link.ts";
import { shareLink } from "./share-link.ts";

export interface HoldOptions {
  /** Makes the database in a folder that is new. */
  readonly create?: ((dataDir: string) => Promise<void>) | undefined;
  readonly socket: string;
  readonly mostSilenceMs: number;
  readonly mostLeavingMs: number;
  readonly onAnnouncements: (announcements: readonly Announcement[]) => void;
  /** Gives the folder back. */
  readonly unlock: () => void;
}

/** Numbers that JavaScript holds exactly: sequences, counts and sizes stay far below 2^53. */
const parsers = { 20: Number };

/** Opens the database of a folder that this process has locked, and lets other processes use it over a unix socket. */
export async function holdFolder(folder: string, { create, unlock, ...sharingOptions }: HoldOptions): Promise<EmbeddedLink> {
  const pglite = await openPglite(join(folder, "data"), create);
  const ended = Promise.withResolvers<void>();
  const local = createLocalLink(pglite, folder);
  const stopTidying = keepTidy(pglite, folder);
  const sharing = await shareLink(local, sharingOptions);
  const letGo = async (end: () => Promise<void>) => {
    await stopTidying();
    await end();
    unlock();
    ended.resolve();
  };
  // Whoever asks next opens it anew, which recovers what was confirmed.
  guardCrash(pglite, () => void sharing.cut().then(() => letGo(async () => {})));
  return {
    ...local,
    announce(announcements) {
      sharing.tell(announcements);
      sharingOptions.onAnnouncements(announcements);
    },
    ended: ended.promise,
    async close() {
      await sharing.close();
      // Without room it is left as after a kill.
      await letGo(async () => (canCheckpoint(folder) ? pglite.close() : undefined));
    },
  };
}

async function openPglite(dataDir: string, create: HoldOptions["create"]): Promise<PGlite> {
  const PGlite = await loadPglite();
  if (create && !existsSync(dataDir)) await create(dataDir);
  // Statistics from a tenth of the usual sample: nothing else runs meanwhile.
  const startParams = [...PGlite.defaultStartParams, "-c", "shared_buffers=16MB", "-c", "default_statistics_target=10"];
  return PGlite.create({ dataDir, parsers, startParams });
}
