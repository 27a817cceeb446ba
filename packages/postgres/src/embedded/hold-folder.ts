import { join } from "node:path";
import type { Announcement } from "../database/database.ts";
import { removeLeftCopies } from "./copy-data.ts";
import { canCheckpoint } from "./disk-room.ts";
import type { EmbeddedLink } from "./embedded-link.ts";
import { guardCrash } from "./guard-crash.ts";
import { keepTidy } from "./keep-tidy.ts";
import { openPglite } from "./load-pglite.ts";
import { createLocalLink } from "./local-link.ts";
import { createPins } from "./pin-files.ts";
import { shareLink } from "./share-link.ts";
import { type MachineTime, openStoreClock } from "./store-clock.ts";

export interface HoldOptions {
  /** Makes the database in a folder that is new. */
  readonly create?: ((dataDir: string) => Promise<void>) | undefined;
  /** Default 16. */
  readonly pageCacheMb?: number | undefined;
  readonly socket: string;
  readonly mostSilenceMs: number;
  readonly mostLeavingMs: number;
  readonly onAnnouncements: (announcements: readonly Announcement[]) => void;
  /** Time of this machine; the store goes by it, except where it jumps. */
  readonly machine?: MachineTime | undefined;
  /** Hears by how many milliseconds the machine's clock was set. */
  readonly onJump?: ((ms: number) => void) | undefined;
  /** Gives the folder back. */
  readonly unlock: () => void;
}

/** Opens the database of a folder that this process has locked, and lets other processes use it over a unix socket. */
export async function holdFolder(
  folder: string,
  { create, pageCacheMb, unlock, machine, onJump, ...sharingOptions }: HoldOptions,
): Promise<EmbeddedLink> {
  removeLeftCopies(folder);
  const clock = openStoreClock(folder, { ...(machine && { machine }), ...(onJump && { onJump }) });
  const pglite = await openPglite(join(folder, "data"), { create, pageCacheMb, now: clock.now }).catch((error: unknown) => {
    clock.stop();
    throw error;
  });
  const ended = Promise.withResolvers<void>();
  const local = await createLocalLink(pglite, folder);
  const pins = createPins(pglite);
  const stopTidying = keepTidy(pglite, folder, pins);
  const { pin } = pins;
  const sharing = await shareLink({ ...local, pin }, sharingOptions);
  const letGo = async (end: () => Promise<void>) => {
    pins.break();
    await stopTidying();
    await end();
    clock.stop();
    unlock();
    ended.resolve();
  };
  // Whoever asks next opens it anew, which recovers what was confirmed.
  guardCrash(pglite, () => void sharing.cut().then(() => letGo(async () => {})));
  return {
    ...local,
    pin,
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
