import type { StoredEvent } from "@toolwright/engine";
import type { FollowEventsOptions, SessionHead } from "@toolwright/engine/ports";
import type { Announcement, Database } from "../database/database.ts";
import { isPassing } from "../database/store-failure.ts";
import { type HeadPage, pageHeads, readEvents, readHeads } from "./event-queries.ts";

const eventsAtOnce = 500;
/** Milliseconds between tries while the database does not answer. */
const tryAgainMs = 1_000;
/** Milliseconds that a write may take from its time to its commit; the database ends statements that take longer. */
const longestWriteMs = 60_000;

/**
 * Events as they are written, by any process, until the signal aborts: in order within a session, each once, none left out. Announcements say
 * where to look and each look reads on from the last event, so a lost announcement costs time and nothing else.
 */
export async function* followEvents(database: Database, options: FollowEventsOptions, signal: AbortSignal): AsyncGenerator<StoredEvent> {
  const news = gatherNews(database, options, signal);
  try {
    const places = await findPlaces(database, options, signal);
    options.onReady?.();
    news.add(options.session);
    while (!signal.aborted) {
      for (const session of (await news.take()) ?? (await places.findGrown())) yield* places.readOn(session);
    }
  } finally {
    news.stop();
  }
}

/** Names of sessions that were announced; undefined when all have to be looked at. */
interface News {
  add(session: string | undefined): void;
  /** Waits for some. Gives none when the signal aborts. */
  take(): Promise<readonly string[] | undefined>;
  stop(): void;
}

function gatherNews(database: Database, { tenant, session }: FollowEventsOptions, signal: AbortSignal): News {
  const names = new Set<string>();
  let all = false;
  let wake = () => {};
  const add = (name: string | undefined) => {
    if (name === undefined) all = true;
    else names.add(name);
    wake();
  };
  const onAnnouncement = (announcement: Announcement | undefined) => {
    if (announcement === undefined) add(session);
    else if (announcement.tenant === tenant && (session ?? announcement.id) === announcement.id) add(announcement.id);
  };
  const stopListening = database.listen("events", onAnnouncement);
  const onAbort = () => wake();
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    add,
    async take() {
      while (!all && names.size === 0 && !signal.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const taken = all && !signal.aborted ? undefined : [...names];
      names.clear();
      all = false;
      return taken;
    },
    stop() {
      stopListening();
      signal.removeEventListener("abort", onAbort);
    },
  };
}

/** How far each session was read. */
interface Places {
  readOn(session: string): AsyncGenerator<StoredEvent>;
  /** Sessions that were written to and not read on. */
  findGrown(): Promise<readonly string[]>;
}

async function findPlaces(database: Database, { tenant, session, after }: FollowEventsOptions, signal: AbortSignal): Promise<Places> {
  const places = new Map<string, number>();
  let writtenAt = 0;
  const readHeadsAgain = (writtenSince?: number) =>
    readAgain(async () => {
      const heads: SessionHead[] = [];
      const read = (page: HeadPage) => database.asTenant(tenant, (query) => readHeads(query, page));
      for await (const head of pageHeads(read, { tenant, session, writtenSince })) {
        heads.push(head);
        writtenAt = Math.max(writtenAt, head.writtenAt);
      }
      return heads;
    }, signal);
  const heads = await readHeadsAgain();
  for (const head of heads) places.set(head.session, head.sequence);
  if (session !== undefined && after !== undefined) places.set(session, after);
  return {
    async *readOn(name) {
      for (let full = true; full && !signal.aborted; ) {
        const page = { tenant, session: name, after: places.get(name) ?? 0, limit: eventsAtOnce };
        const events = await readAgain(() => database.asTenant(tenant, (query) => readEvents(query, page)), signal);
        for (const event of events) {
          if (signal.aborted) return;
          places.set(name, event.sequence);
          yield event;
        }
        full = events.length === eventsAtOnce;
      }
    },
    async findGrown() {
      const grown = await readHeadsAgain(writtenAt - longestWriteMs);
      return grown.filter((head) => head.sequence > (places.get(head.session) ?? 0)).map((head) => head.session);
    },
  };
}

/** Reading changes nothing, so it is tried until the database answers. */
async function readAgain<Result>(read: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (signal.aborted || !isLost(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, tryAgainMs));
    }
  }
}

const isLost = (error: unknown) => isPassing(error) || (error as { code?: unknown }).code === "store_unreachable";
