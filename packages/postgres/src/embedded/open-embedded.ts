import { existsSync } from "node:fs";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine/errors";
import { PGliteAdapter } from "kysely";
import { createAnnouncer } from "../database/announcer.ts";
import type { Announcement, Database } from "../database/database.ts";
import { openHandles } from "../database/roles.ts";
import { detachCopy } from "./detach-copy.ts";
import { requireRoom } from "./disk-room.ts";
import type { EmbeddedLink } from "./embedded-link.ts";
import { type FolderLock, filesOf, lockFolder } from "./folder-lock.ts";
import { type HoldOptions, holdFolder } from "./hold-folder.ts";
import { joinHost } from "./join-host.ts";
import { createLinkDriver } from "./link-driver.ts";
import { socketOf } from "./socket-of.ts";
import type { MachineTime } from "./store-clock.ts";
import { requireStoreFolder, unusableFiles } from "./store-folder.ts";

export interface EmbeddedOptions {
  /** Who uses the folder, as others will be told. */
  readonly holder: string;
  /** Makes the database in a folder that is new; without it, it starts empty. */
  readonly create?: (dataDir: string) => Promise<void>;
  /** Megabytes of pages that the database keeps in its memory. Default 16. */
  readonly pageCacheMb?: number | undefined;
  /** Time of this machine. */
  readonly machine?: MachineTime | undefined;
  readonly warn?: ((message: string) => void) | undefined;
  /** What only one process of the folder may be, and this one wants to be, for as long as it is open. */
  readonly only?: OnlyOne | undefined;
  /** Milliseconds that another process may say nothing in a transaction before it is cut off. Default 30 000. */
  readonly mostSilenceMs?: number;
  /** Milliseconds that closing waits for what other processes are at. Default 5 000. */
  readonly mostLeavingMs?: number;
}

export interface OnlyOne {
  /** A name of letters and dashes: `serve`. */
  readonly role: string;
  /** Milliseconds that the one before has to leave: it may be closing. Default 5 000. */
  readonly waitMs?: number;
  /** Hears who is waited for. */
  readonly onWait?: (holder: string) => void;
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** Milliseconds that a process looks for the one that holds the folder: it may be starting, or just have ended. */
const findMs = 15_000;
const betweenTriesMs = 50;

/**
 * PostgreSQL in a process, on a folder. The first process holds the folder; others use the database through it, and one of them takes over
 * when it ends.
 */
export async function openEmbedded(folder: string, options: EmbeddedOptions): Promise<Database> {
  requireStoreFolder(folder);
  const leaveRole = options.only ? await takeRole(folder, options.holder, options.only) : () => {};
  try {
    return await openFolder(folder, options, leaveRole);
  } catch (error) {
    leaveRole();
    throw error;
  }
}

/** Throws `store_in_use` where another process is it and stays. Returns how to give it up. */
async function takeRole(folder: string, holder: string, { role, waitMs = 5_000, onWait, signal }: OnlyOne): Promise<() => void> {
  let told = false;
  for (const deadline = performance.now() + waitMs; ; ) {
    const lock = lockWithRoom(folder, holder, filesOf(role));
    if (lock.unlock) return lock.unlock;
    if (signal?.aborted || performance.now() > deadline) throw inUse(folder, lock.holder);
    if (!told) onWait?.(lock.holder);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
  }
}

async function openFolder(folder: string, options: EmbeddedOptions, leaveRole: () => void): Promise<Database> {
  const announcer = createAnnouncer((announcements) => send(announcements));
  const onAnnouncements = (announcements: readonly Announcement[]) => {
    for (const announcement of announcements) announcer.deliver(announcement);
  };
  const finder = createLinkFinder(folder, options, { onAnnouncements, onAnew: () => announcer.deliver() });
  const send = async (announcements: readonly Announcement[]) => {
    try {
      (await finder.find()).announce(announcements);
    } catch {
      // Nobody is there to be told; whoever opens the store next looks for himself.
    }
  };
  await finder.find();
  const handles = openHandles(createLinkDriver(finder.find), new PGliteAdapter());
  const end = async () => {
    await announcer.close();
    await finder.close();
    await handles.owner.destroy();
    leaveRole();
  };
  let ending: Promise<void> | undefined;
  const close = () => {
    ending ??= end();
    return ending;
  };
  return {
    kind: "embedded",
    ...handles,
    announce: announcer.announce,
    listen: announcer.listen,
    async detach({ elsewhere } = {}) {
      const copy = await detachCopy({ folder, elsewhere, find: finder.find });
      await close();
      return copy;
    },
    close,
  };
}

interface LinkEvents {
  readonly onAnnouncements: (announcements: readonly Announcement[]) => void;
  /** The link is a new one: announcements may have been missed. */
  readonly onAnew: () => void;
}

function createLinkFinder(folder: string, options: EmbeddedOptions, events: LinkEvents) {
  let found: Promise<EmbeddedLink> | undefined;
  let closed = false;
  const find = (): Promise<EmbeddedLink> => {
    if (closed) return Promise.reject(new Error("The store is closed."));
    const finding = found ?? findLink(folder, options, events);
    if (finding === found) return finding;
    found = finding;
    finding.then(
      (link) => {
        events.onAnew();
        return link.ended.then(() => {
          found = undefined;
        });
      },
      () => {
        found = undefined;
      },
    );
    return finding;
  };
  return {
    find,
    async close() {
      closed = true;
      await (await found?.catch(() => undefined))?.close();
    },
  };
}

async function findLink(
  folder: string,
  { holder, create, pageCacheMb, machine, warn, mostSilenceMs = 30_000, mostLeavingMs = 5_000 }: EmbeddedOptions,
  { onAnnouncements }: LinkEvents,
): Promise<EmbeddedLink> {
  const socket = socketOf(folder);
  const onJump = warn && ((ms: number) => warn(describeJump(ms)));
  for (const deadline = Date.now() + findMs; ; ) {
    const lock = lockWithRoom(folder, holder);
    const holding = { create, pageCacheMb, machine, onJump, socket, mostSilenceMs, mostLeavingMs, onAnnouncements };
    if (lock.unlock) return await holdOrUnlock(folder, { ...holding, unlock: lock.unlock });
    const joined = await joinHost(socket, onAnnouncements);
    if (joined) return joined;
    if (Date.now() > deadline) throw inUse(folder, lock.holder);
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
  }
}

function describeJump(ms: number): string {
  const [size, way] = [describeSpan(Math.abs(ms)), ms > 0 ? "ahead" : "back"];
  return `The clock of this machine was set ${way} by ${size}. The store keeps its own time and approaches the machine's: nothing expires at once, and schedules go on.`;
}

function describeSpan(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3_600)} hours`;
}

/** The lock is a file as well, which may have no room. */
function lockWithRoom(folder: string, holder: string, files?: ReturnType<typeof filesOf>): FolderLock {
  try {
    return lockFolder(folder, holder, files);
  } catch (error) {
    requireRoom(folder);
    throw unusableFiles(folder, error);
  }
}

async function holdOrUnlock(folder: string, options: HoldOptions): Promise<EmbeddedLink> {
  try {
    requireRoom(folder, { isNew: !existsSync(join(folder, "data")) });
    return await holdFolder(folder, options);
  } catch (error) {
    options.unlock();
    if (ToolwrightError.is(error)) throw error;
    throw new ToolwrightError(
      "store_failed",
      `The store ${folder} cannot be opened. If its files are damaged, move the folder away and restore a backup with toolwright db restore. PostgreSQL says: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}

function inUse(folder: string, holder: string): ToolwrightError {
  return new ToolwrightError(
    "store_in_use",
    `The store ${folder} is in use by ${holder}. Stop that process, choose another folder with TOOLWRIGHT_STATE, or set DATABASE_URL to a PostgreSQL server, which many processes can share.`,
  );
}
