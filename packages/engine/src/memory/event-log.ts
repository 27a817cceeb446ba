import { chainHash } from "../contract/event-chain.ts";
import { checkEvent, type SessionEvent, type StoredEvent } from "../contract/events.ts";
import { type EventLog, KeyTaken, type KeyWrite } from "../ports/event-log.ts";
import type { IdempotencyStore } from "../ports/idempotency-store.ts";
import type { SessionHead } from "../ports/session-reader.ts";

interface Chain {
  /** Events not hashed yet wait here: the hash is worked out when somebody reads. */
  readonly waiting: SessionEvent[];
  readonly stored: StoredEvent[];
  next: number;
}

/** What readers of the log in memory need beside its port. */
export interface MemoryEventLog extends EventLog {
  /** Where each session that is kept stands. */
  heads(): readonly SessionHead[];
  /** Calls back after each append; returns how to stop. */
  onAppend(listener: () => void): () => void;
}

export interface MemoryEventLogOptions {
  /** Events of a session. Default 1 000. */
  readonly keep?: number;
  /** Default 1 000. */
  readonly sessions?: number;
  /** The store of the keys that are written with events. */
  readonly keys?: IdempotencyStore;
}

/** Keeps the log in memory: the newest `keep` events of each session, of the newest `sessions` sessions. For tests and small processes. */
export function createMemoryEventLog(options: MemoryEventLogOptions = {}): MemoryEventLog {
  const { keys } = options;
  const keep = options.keep ?? 1_000;
  const mostSessions = options.sessions ?? 1_000;
  const chains = new Map<string, Chain>();
  const appended = Promise.resolve();
  const listeners = new Set<() => void>();
  /** Most events are of the session of the one before. */
  let latest: { tenant: string; session: string; chain: Chain } = { tenant: "", session: "", chain: newChain() };
  const add = (events: readonly SessionEvent[]) => {
    for (const event of events) {
      if (event.tenant !== latest.tenant || event.session !== latest.session) {
        const { tenant, session } = event;
        latest = { tenant, session, chain: chainOf(chains, keyOf(tenant, session), mostSessions) };
      }
      const { chain } = latest;
      chain.waiting.push(event);
      if (chain.waiting.length > 2 * keep) forget(chain, keep);
    }
    for (const listener of listeners) listener();
  };
  return {
    ...(keys && { keys }),
    append(events, { key } = {}) {
      try {
        events.forEach(checkEvent);
      } catch (error) {
        return Promise.reject(error);
      }
      if (key && keys) return writeKey(key, keys).then(() => add(events));
      add(events);
      return appended;
    },
    read({ tenant, session, after = 0, limit = Number.POSITIVE_INFINITY }) {
      const chain = chains.get(keyOf(tenant, session));
      if (!chain) return Promise.resolve([]);
      linkWaiting(chain);
      return Promise.resolve(chain.stored.filter((event) => event.sequence > after).slice(0, limit));
    },
    heads: () => [...chains.values()].flatMap((chain) => toHead(chain) ?? []),
    onAppend(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function writeKey({ claim, settlement }: KeyWrite, keys: IdempotencyStore): Promise<void> {
  if (settlement) await keys.settle(settlement.owner, settlement.result, settlement.at);
  else if ((await keys.claim(claim)).kind !== "claimed") throw new KeyTaken();
}

/** What was forgotten counts as removed when the newest event was written. */
function toHead(chain: Chain): SessionHead | undefined {
  linkWaiting(chain);
  const [first, last] = [chain.stored[0], chain.stored.at(-1)];
  if (!first || !last) return undefined;
  const { tenant, session, at } = last.event;
  const head = { tenant, session, sequence: last.sequence, hash: last.hash, lastAt: at, writtenAt: at };
  if (first.sequence === 1) return head;
  return { ...head, removed: { through: first.sequence - 1, hash: first.previous, at } };
}

function newChain(): Chain {
  return { waiting: [], stored: [], next: 1 };
}

function keyOf(tenant: string, session: string): string {
  return `${tenant.length}:${tenant}:${session}`;
}

function chainOf(chains: Map<string, Chain>, key: string, most: number): Chain {
  let chain = chains.get(key);
  if (!chain) {
    chain = newChain();
    chains.set(key, chain);
    const oldest = chains.keys().next().value;
    if (chains.size > most && oldest !== undefined) chains.delete(oldest);
  }
  return chain;
}

function linkWaiting(chain: Chain): void {
  for (const event of chain.waiting) {
    const previous = chain.stored.at(-1)?.hash ?? "";
    const sequence = chain.next;
    chain.stored.push({ event, sequence, previous, hash: chainHash(event, sequence, previous) });
    chain.next += 1;
  }
  chain.waiting.length = 0;
}

/** Drops the oldest; what is left keeps its numbers, and its chain begins anew where it was cut. */
function forget(chain: Chain, keep: number): void {
  const surplus = chain.stored.length + chain.waiting.length - keep;
  const fromStored = Math.min(surplus, chain.stored.length);
  chain.stored.splice(0, fromStored);
  const fromWaiting = surplus - fromStored;
  if (fromWaiting > 0) {
    chain.waiting.splice(0, fromWaiting);
    chain.next += fromWaiting;
  }
}
