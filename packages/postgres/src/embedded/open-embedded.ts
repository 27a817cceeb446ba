import { existsSync } from "node:fs";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { Kysely } from "kysely";
import { createAnnouncer } from "../database/announcer.ts";
import type { Announcement, Database } from "../database/database.ts";
import { runAsSystem, runAsTenant } from "../database/run-as-role.ts";
import { toStoreError } from "../database/store-failure.ts";
import type { Tables } from "../database/tables.ts";
import { requireRoom } from "./disk-room.ts";
import type { EmbeddedLink } from "./embedded-link.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { type HoldOptions, holdFolder } from "./hold-folder.ts";
import { joinHolder } from "./join-holder.ts";
import { linkDialect } from "./link-driver.ts";
import { socketOf } from "./socket-of.ts";
import { requireStoreFolder, unusableFiles } from "./store-folder.ts";

export interface EmbeddedOptions {
  /** Who uses the folder, as others will be told. */
  readonly holder: string;
  /** Makes the database in a folder that is new; without it, it starts empty. */
  readonly create?: (dataDir: string) => Promise<void>;
  /** True for a holder that this process does not want to share with; by default it shares with all. */
  readonly refuse?: (holder: string) => boolean;
  /** Milliseconds that another process may say nothing in a transaction before it is cut off. Default 30 000. */
  readonly mostSilenceMs?: number;
  /** Milliseconds that closing waits for what other processes are at. Default 5 000. */
  readonly mostLeavingMs?: number;
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
  const owner = new Kysely<Tables>({ dialect: linkDialect(finder.find) });
  const told = <Result>(work: Promise<Result>) => work.catch((error: unknown) => Promise.reject(toStoreError(error)));
  return {
    kind: "embedded",
    owner,
    asTenant: (tenant, work) => told(runAsTenant(owner, tenant, work)),
    asSystem: (work) => told(runAsSystem(owner, work)),
    announce: announcer.announce,
    listen: announcer.listen,
    async close() {
      await announcer.close();
      await finder.close();
      await owner.destroy();
    },
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
  { holder, create, refuse, mostSilenceMs = 30_000, mostLeavingMs = 5_000 }: EmbeddedOptions,
  { onAnnouncements }: LinkEvents,
): Promise<EmbeddedLink> {
  const socket = socketOf(folder);
  for (const deadline = Date.now() + findMs; ; ) {
    const lock = lockWithRoom(folder, holder);
    const holding = { create, socket, mostSilenceMs, mostLeavingMs, onAnnouncements };
    if (lock.unlock) return await holdOrUnlock(folder, { ...holding, unlock: lock.unlock });
    if (refuse?.(lock.holder)) throw inUse(folder, lock.holder);
    const joined = await joinHolder(socket, onAnnouncements);
    if (joined) return joined;
    if (Date.now() > deadline) throw inUse(folder, lock.holder);
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
  }
}

/** The lock is a file as well, which may have no room. */
function lockWithRoom(folder: string, holder: string): FolderLock {
  try {
    return lockFolder(folder, holder);
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
