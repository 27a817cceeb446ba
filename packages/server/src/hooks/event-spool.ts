import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Logger, SessionEvent } from "@toolwright/engine";
import { ownerName } from "@toolwright/engine/operations";
import { checkEvent, type EventLog, type SessionStore } from "@toolwright/engine/ports";
import { makeFolder } from "../state/make-folder.ts";
import { writeWhole } from "../state/write-whole.ts";

const folderOf = (state: string) => join(state, "events");

/** One append, with the owners of its sessions by id: an event names its actor alone, which may act for a person. */
interface Spooled {
  readonly events: readonly SessionEvent[];
  readonly owners: Readonly<Record<string, string>>;
}

/**
 * A log for who cannot wait for the store: each append is one file, whole or not at all, until the next command that opens the store takes it
 * in, with the owners that `sessions` knows. Nothing is read from here.
 */
export function createEventSpool(state: string, sessions: Pick<SessionStore, "usersOf">): EventLog {
  const folder = folderOf(state);
  let count = 0;
  return {
    async append(events) {
      const owners = new Map<string, string>();
      for (const event of events) {
        checkEvent(event);
        const { tenant, session: id, actor } = event;
        owners.set(id, (await sessions.usersOf({ tenant, id }))?.owner ?? ownerName(actor.kind, actor.id));
      }
      const spooled: Spooled = { events, owners: Object.fromEntries(owners) };
      makeFolder(folder, 0o700);
      const place = `${String(Date.now()).padStart(15, "0")}-${String(count++).padStart(4, "0")}-${randomUUID()}.json`;
      writeWhole(join(folder, place), JSON.stringify(spooled), 0o600);
    },
    read: () => Promise.resolve([]),
  };
}

interface SpoolTarget {
  readonly events: Pick<EventLog, "append">;
  readonly sessions: Pick<SessionStore, "ensure">;
}

/**
 * Takes into the log what others left, oldest first. Of several processes one takes each file; where that one dies in between, the next takes
 * it again, so an event may be there twice and never not at all.
 */
export async function takeInSpooled(state: string, { events, sessions }: SpoolTarget, logger: Logger): Promise<void> {
  const folder = folderOf(state);
  for (const name of filesIn(folder)) {
    const claimed = claim(folder, name);
    if (claimed === undefined) continue;
    try {
      const spooled = readSpooled(claimed);
      const owners = new Map(Object.entries(spooled.owners));
      // Before the log makes them: a session that the log makes has no owner.
      for (const { tenant, session, actor, at } of spooled.events)
        await sessions.ensure({ tenant, id: session }, { owner: owners.get(session) ?? ownerName(actor.kind, actor.id), at });
      await events.append(spooled.events);
      rmSync(claimed, { force: true });
    } catch (error) {
      logger.log("warn", "Events that a hook left could not be taken into the log; they are tried again.", {
        file: claimed,
        error: String(error),
      });
      renameSync(claimed, join(folder, nameOf(name)));
      return;
    }
  }
}

/** A list of events alone is from a version before owners. */
function readSpooled(file: string): Spooled {
  const spooled = JSON.parse(readFileSync(file, "utf8")) as Spooled | SessionEvent[];
  return Array.isArray(spooled) ? { events: spooled, owners: {} } : spooled;
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith(".") && /\.json(?:\.\d+)?$/.test(name))
      .sort();
  } catch {
    return [];
  }
}

const nameOf = (file: string) => file.replace(/\.\d+$/, "");

/** Undefined for what another process has. */
function claim(folder: string, file: string): string | undefined {
  const holder = /\.json\.(\d+)$/.exec(file)?.[1];
  if (holder !== undefined && isAlive(Number(holder))) return undefined;
  const claimed = join(folder, `${nameOf(file)}.${process.pid}`);
  try {
    renameSync(join(folder, file), claimed);
    return claimed;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
