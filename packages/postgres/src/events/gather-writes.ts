import { setImmediate as nextTurn } from "node:timers/promises";
import { type Clock, systemClock } from "@toolwright/engine/ports";

/** What one caller gave. */
interface Part<Item> {
  readonly items: readonly Item[];
  resolve(): void;
  reject(error: unknown): void;
}

interface Queue<Item> {
  readonly parts: Part<Item>[];
  /** Items in it. */
  count: number;
  /** Somebody waits for one of them. */
  isUrgent: boolean;
  /** Ends the pause that is made for more to come. */
  hurry(): void;
}

interface GatherOptions<Item> {
  /** Writes all of them or none, in order. Never called for one key while a write of that key runs. */
  readonly write: (key: string, items: readonly Item[]) => Promise<void>;
  /** Most items of one write, unless one caller gives more at once. */
  readonly most: number;
  /** Items that may wait in all; beyond that, new ones are refused at once. */
  readonly room: number;
  readonly refuse: () => Error;
  /** Milliseconds that items which may wait are kept for more to come, and how many are enough not to. Default: they are written at once. */
  readonly linger?: { readonly ms: number; readonly enough: number };
  readonly clock?: Pick<Clock, "after">;
  /** True for a failure that has nothing to do with what was written: all fail by it, and none is tried alone. */
  readonly isForAll?: (error: unknown) => boolean;
  /** The items for which a write failed that would have succeeded without them: these fail, and the others are written again together. */
  readonly culpritsOf?: (error: unknown, items: readonly Item[]) => ReadonlySet<Item> | undefined;
}

interface GatheredWrites<Item> {
  /** Resolves when these items are written. Those that may wait go with the next ones, or after a while. */
  add(key: string, items: readonly Item[], options?: { readonly mayWait?: boolean }): Promise<void>;
  /** Resolves when everything that was added before is written or refused. */
  settle(): Promise<void>;
}

/**
 * Group commit: what comes while a write of the same key runs is written together next. One commit then serves many callers, and a lone
 * caller waits for no timer; only what nobody waits for lingers, and goes before what comes later. Where a write of several callers fails, each is tried alone, so that one bad item is its giver's failure only.
 */
export function gatherWrites<Item>(options: GatherOptions<Item>): GatheredWrites<Item> {
  const {
    write,
    most,
    room,
    refuse,
    isForAll = () => false,
    culpritsOf = () => undefined,
    linger = { ms: 0, enough: 0 },
    clock = systemClock,
  } = options;
  const queues = new Map<string, Queue<Item>>();
  const pending = new Set<Promise<void>>();
  let waiting = 0;
  const writeParts = async (key: string, parts: readonly Part<Item>[]): Promise<void> => {
    const all = parts.flatMap(({ items }) => items);
    try {
      await write(key, all);
      for (const part of parts) part.resolve();
    } catch (error) {
      const culprits = culpritsOf(error, all);
      const [failed, others] = split(parts, ({ items }) => culprits === undefined || items.some((item) => culprits.has(item)));
      // What the database cannot be told now, it cannot be told one by one.
      if (culprits || parts.length === 1 || isForAll(error)) for (const part of failed) part.reject(error);
      else for (const part of failed) await writeParts(key, [part]);
      if (others.length > 0) await writeParts(key, others);
    }
  };
  const drain = async (key: string, queue: Queue<Item>) => {
    // Callers that one write served come again in the same turn: the next write waits for all of them.
    for (await nextTurn(); queue.parts.length > 0; await nextTurn()) {
      if (!queue.isUrgent && queue.count < linger.enough) await pause(queue, linger.ms, clock);
      const parts = takeParts(queue.parts, most);
      const taken = parts.reduce((sum, { items }) => sum + items.length, 0);
      queue.count -= taken;
      queue.isUrgent &&= queue.parts.length > 0;
      await writeParts(key, parts);
      waiting -= taken;
    }
    queues.delete(key);
  };
  return {
    add(key, items, { mayWait = false } = {}) {
      if (waiting + items.length > room) return Promise.reject(refuse());
      waiting += items.length;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const queue = queues.get(key) ?? { parts: [], count: 0, isUrgent: false, hurry: () => {} };
      queue.parts.push({ items, resolve, reject });
      queue.count += items.length;
      queue.isUrgent ||= !mayWait;
      if (queue.isUrgent || queue.count >= linger.enough) queue.hurry();
      if (!queues.has(key)) {
        queues.set(key, queue);
        void drain(key, queue);
      }
      const settled = promise.then(
        () => undefined,
        () => undefined,
      );
      pending.add(settled);
      void settled.then(() => pending.delete(settled));
      return promise;
    },
    async settle() {
      for (const queue of queues.values()) {
        queue.isUrgent = true;
        queue.hurry();
      }
      await Promise.all(pending);
    },
  };
}

function pause(queue: Pick<Queue<unknown>, "hurry">, ms: number, clock: Pick<Clock, "after">): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => queue.hurry(), { keepAlive: true });
    queue.hurry = () => {
      queue.hurry = () => {};
      cancel();
      resolve();
    };
  });
}

function split<Value>(values: readonly Value[], isFirst: (value: Value) => boolean): readonly [readonly Value[], readonly Value[]] {
  return [values.filter(isFirst), values.filter((value) => !isFirst(value))];
}

function takeParts<Item>(queue: Part<Item>[], most: number): Part<Item>[] {
  let count = queue[0]?.items.length ?? 0;
  let taken = 1;
  for (let next = queue[taken]; next && count + next.items.length <= most; next = queue[taken]) {
    count += next.items.length;
    taken += 1;
  }
  return queue.splice(0, taken);
}
