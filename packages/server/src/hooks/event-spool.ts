import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Logger, SessionEvent } from "@toolwright/engine";
import { ownerName } from "@toolwright/engine/operations";
import { checkEvent, type EventLog, type SessionStore } from "@toolwright/engine/ports";
import { makeFolder } from "../state/make-folder.ts";
import { writeWhole } from "../state/write-whole.ts";

const folderOf = (state: string) => join(state, "events");

/**
 * A log for who cannot wait for the store: each append is one file, whole or not at all, until the next command that opens the store takes it
 * in. Nothing is read from here.
 */
export function createEventSpool(state: string): EventLog {
  const folder = folderOf(state);
  let count = 0;
  return {
    async append(events) {
      for (const event of events) checkEvent(event);
      makeFolder(folder, 0o700);
      const place = `${String(Date.now()).padStart(15, "0")}-${String(count++).padStart(4, "0")}-${randomUUID()}.json`;
      writeWhole(join(folder, place), JSON.stringify(events), 0o600);
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
      const spooled = JSON.parse(readFileSync(claimed, "utf8")) as SessionEvent[];
      // Before the log makes them: a session that the log makes has no owner.
      for (const { tenant, session, actor, at } of spooled)
        await sessions.ensure({ tenant, id: session }, { owner: ownerName(actor.kind, actor.id), at });
      await events.append(spooled);
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
