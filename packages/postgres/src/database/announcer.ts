import type { Announcement, Database } from "./database.ts";

/** Milliseconds that announcements wait for more of them: one notice for many. */
const gatherMs = 10;

interface Announcer extends Pick<Database, "announce" | "listen"> {
  /** Tells the listeners of this process; without an announcement, that some may have been missed. */
  deliver(announcement?: Announcement): void;
  /** Sends what waits: a command that ends just after a change is heard too. */
  close(): Promise<void>;
}

/** Gathers announcements, the same one once, and sends them; by default straight to the listeners of this process. */
export function createAnnouncer(send?: (announcements: readonly Announcement[]) => Promise<void>): Announcer {
  const listeners = new Map<string, Set<(announcement: Announcement | undefined) => void>>();
  const waiting = new Map<string, Announcement>();
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  const deliver = (announcement?: Announcement) => {
    const told = announcement ? [listeners.get(announcement.topic) ?? []] : [...listeners.values()];
    for (const some of told) for (const listener of some) listener(announcement);
  };
  const flush = () => {
    timer = undefined;
    const announcements = [...waiting.values()];
    waiting.clear();
    if (send) sending = Promise.all([sending, send(announcements)]).then(() => {});
    else for (const announcement of announcements) deliver(announcement);
  };
  return {
    deliver,
    announce(announcement) {
      waiting.set(`${announcement.topic}\n${announcement.tenant}\n${announcement.id}`, announcement);
      timer ??= setTimeout(flush, gatherMs);
    },
    listen(topic, listener) {
      const some = listeners.get(topic) ?? new Set();
      listeners.set(topic, some.add(listener));
      return () => some.delete(listener);
    },
    async close() {
      listeners.clear();
      clearTimeout(timer);
      if (waiting.size > 0) flush();
      await sending;
    },
  };
}
