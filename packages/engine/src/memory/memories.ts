import {
  type Memory,
  type MemoryOwner,
  type MemoryPage,
  type MemorySearch,
  type MemoryStore,
  type MemoryVersion,
  mostMemoryVersions,
  type NewMemory,
} from "../ports/memory-store.ts";
import type { FoundSet, IndexedText } from "../ports/text-index.ts";
import { matchTexts } from "./match-texts.ts";
import { noVectors } from "./no-vectors.ts";

interface Entry {
  readonly memory: Memory;
  readonly index: IndexedText;
  /** Newest first. */
  readonly versions: readonly MemoryVersion[];
}

const ownerKey = ({ tenant, owner }: MemoryOwner) => JSON.stringify([tenant, owner]);

/** Keeps memories in memory: lost with the process. */
export function createMemoryMemories(): MemoryStore {
  return new MemoryMemories();
}

class MemoryMemories implements MemoryStore {
  readonly #owners = new Map<string, Map<string, Entry>>();
  readonly vectors = noVectors;

  async save(owner: MemoryOwner, saved: NewMemory): Promise<{ version: number; created: boolean }> {
    const { by, index, ...rest } = structuredClone(saved);
    const own = this.#entriesOf(owner);
    const before = liveAt(own.get(rest.key), rest.savedAt);
    const version = (before?.memory.version ?? 0) + 1;
    const memory: Memory = { ...rest, version, createdAt: before?.memory.createdAt ?? rest.savedAt };
    const { content, category, trust, sources, savedAt } = rest;
    const newest: MemoryVersion = { version, content, category, trust, sources, savedAt, by };
    own.set(rest.key, { memory, index, versions: [newest, ...(before?.versions ?? [])].slice(0, mostMemoryVersions) });
    return { version, created: before === undefined };
  }

  async get(owner: MemoryOwner, key: string, now: number) {
    const found = liveAt(this.#entriesOf(owner).get(key), now);
    return found && structuredClone({ memory: found.memory, versions: found.versions });
  }

  async forget(owner: MemoryOwner, key: string): Promise<number> {
    const own = this.#entriesOf(owner);
    const count = own.get(key)?.versions.length ?? 0;
    own.delete(key);
    return count;
  }

  async clear(owner: MemoryOwner): Promise<void> {
    this.#owners.delete(ownerKey(owner));
  }

  async search(owner: MemoryOwner, search: MemorySearch): Promise<FoundSet<Memory>> {
    const { category, session, now } = search;
    const live = [...this.#entriesOf(owner).values()].filter(
      ({ memory }) =>
        isLive(memory, now) &&
        (category === undefined || memory.category === category) &&
        (memory.category !== "conversation" || memory.session === session),
    );
    const found = matchTexts(
      live.map(({ memory, index }) => ({ id: memory.key, index })),
      search,
    );
    const ids = new Set(found.candidates.map(({ id }) => id));
    const items = live.filter(({ memory }) => ids.has(memory.key)).map(({ memory }) => [memory.key, structuredClone(memory)] as const);
    return { ...found, items: new Map(items) };
  }

  async list(owner: MemoryOwner, { after, limit = 50, category, now }: MemoryPage) {
    const all = [...this.#entriesOf(owner).values()]
      .map(({ memory }) => memory)
      .filter((memory) => isLive(memory, now) && (category === undefined || memory.category === category))
      .filter(({ key }) => after === undefined || key > after)
      .sort((one, other) => (one.key < other.key ? -1 : 1));
    const memories = structuredClone(all.slice(0, limit));
    const last = memories.at(-1);
    return { memories, ...(all.length > limit && last && { next: last.key }) };
  }

  async owners(tenant: string) {
    return [...this.#owners]
      .map(([name, entries]) => ({ name: JSON.parse(name) as [string, string], count: entries.size }))
      .filter(({ name: [of], count }) => of === tenant && count > 0)
      .map(({ name: [, owner], count }) => ({ owner, count }))
      .sort((one, other) => (one.owner < other.owner ? -1 : 1));
  }

  #entriesOf(owner: MemoryOwner): Map<string, Entry> {
    const key = ownerKey(owner);
    const own = this.#owners.get(key) ?? new Map<string, Entry>();
    this.#owners.set(key, own);
    return own;
  }
}

const isLive = ({ expiresAt }: Memory, now: number) => expiresAt === undefined || expiresAt > now;
const liveAt = (entry: Entry | undefined, now: number) => (entry && isLive(entry.memory, now) ? entry : undefined);
