import { createHash } from "node:crypto";
import { lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolwrightError } from "@toolwright/engine";
import { Kysely } from "kysely";
import { createAnnouncer } from "../database/announcer.ts";
import type { Announcement, Database } from "../database/database.ts";
import { runAsSystem, runAsTenant } from "../database/run-as-role.ts";
import { toStoreError } from "../database/store-failure.ts";
import type { Tables } from "../database/tables.ts";
import type { EmbeddedLink } from "./embedded-link.ts";
import { lockFolder } from "./folder-lock.ts";
import { holdFolder } from "./hold-folder.ts";
import { joinHolder } from "./join-holder.ts";
import { linkDialect } from "./link-driver.ts";

export interface EmbeddedOptions {
  /** Who uses the folder, as others will be told. */
  readonly holder: string;
  /** Makes the database in a folder that is new; without it, it starts empty. */
  readonly create?: (dataDir: string) => Promise<void>;
  /** True for a holder that this process does not want to share with; by default it shares with all. */
  readonly refuse?: (holder: string) => boolean;
  /** Milliseconds that another process may say nothing in a transaction before it is cut off. Default 30 000. */
  readonly mostSilenceMs?: number;
}

/** Milliseconds that a process looks for the one that holds the folder: it may be starting, or just have ended. */
const findMs = 15_000;
const betweenTriesMs = 50;
const mostSocketBytes = 100;

/**
 * PostgreSQL in a process, on a folder. The first process holds the folder; others use the database through it, and one of them takes over
 * when it ends.
 */
export async function openEmbedded(folder: string, options: EmbeddedOptions): Promise<Database> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const announcer = createAnnouncer((announcements) => void send(announcements));
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
      announcer.close();
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
  { holder, create, refuse, mostSilenceMs = 30_000 }: EmbeddedOptions,
  { onAnnouncements }: LinkEvents,
): Promise<EmbeddedLink> {
  const socket = socketOf(folder);
  for (const deadline = Date.now() + findMs; ; ) {
    const lock = lockFolder(folder, holder);
    if (lock.unlock) return await holdOrUnlock(folder, { create, socket, mostSilenceMs, onAnnouncements, unlock: lock.unlock });
    if (refuse?.(lock.holder)) throw inUse(folder, lock.holder);
    const joined = await joinHolder(socket, onAnnouncements);
    if (joined) return joined;
    if (Date.now() > deadline) throw inUse(folder, lock.holder);
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs));
  }
}

async function holdOrUnlock(folder: string, options: Parameters<typeof holdFolder>[1]): Promise<EmbeddedLink> {
  try {
    return await holdFolder(folder, options);
  } catch (error) {
    options.unlock();
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

/** In the folder, unless its name is longer than what a unix socket may have (107 bytes). */
function socketOf(folder: string): string {
  const inside = join(folder, "store.sock");
  if (Buffer.byteLength(inside) <= mostSocketBytes) return inside;
  const user = process.getuid?.() ?? 0;
  const elsewhere = join(tmpdir(), `toolwright-${user}-${createHash("sha256").update(folder).digest("hex").slice(0, 16)}`);
  mkdirSync(elsewhere, { recursive: true, mode: 0o700 });
  const { uid, mode } = lstatSync(elsewhere);
  // Everybody may write to the temporary folder: whoever made this one first could stand in for the store.
  if (uid !== user || (mode & 0o170777) !== 0o040700)
    throw new ToolwrightError(
      "store_failed",
      `The folder ${elsewhere} is not this user's alone. Remove it, or name a shorter folder with TOOLWRIGHT_STATE.`,
    );
  return join(elsewhere, "store.sock");
}
