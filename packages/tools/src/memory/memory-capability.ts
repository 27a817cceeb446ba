import { type CallSite, type Capability, type CapabilityProvider, ToolwrightError } from "@toolwright/engine";
import {
  type Clock,
  type Embedder,
  type ForeignMarks,
  type Ids,
  type Memory,
  type MemoryCategory,
  type MemoryOwner,
  type MemoryStore,
  type MemoryVersion,
  memoryOwnerOf,
  sharerOf,
  type Trust,
  trustOf,
} from "@toolwright/engine/ports";
import { askVectors, indexText, type RankedItem, type Ranking, rankFound, readQuery, saysTheSame } from "../ranking/index.ts";
import { concernOf } from "./concern-of.ts";
import { originOf } from "./origin-of.ts";

/** What the caller remembers. */
export interface ReadMemory {
  search(query: string, options: { readonly category?: MemoryCategory; readonly limit: number }): Promise<FoundMemories>;
  /** With its versions, newest first. Rejects with `memory_not_found`. */
  get(key: string): Promise<{ readonly memory: Memory; readonly versions: readonly MemoryVersion[] }>;
}

export interface FoundMemories {
  readonly entries: readonly RankedItem<Memory>[];
  readonly ranking: Ranking;
}

export interface WriteMemory extends ReadMemory {
  save(memory: MemoryDraft): Promise<SavedMemory>;
  /** How many versions were removed. Rejects with `memory_not_found`. */
  forget(key: string): Promise<number>;
}

export interface MemoryDraft {
  readonly content: string;
  /** Default: a new one. */
  readonly key?: string | undefined;
  /** Default: `core`, and `daily` in a session that has read foreign content. */
  readonly category?: MemoryCategory | undefined;
  /** Milliseconds since 1970. Default: for `daily` 30 days from now, else never. */
  readonly expiresAt?: number | undefined;
}

export interface SavedMemory {
  readonly key: string;
  readonly version: number;
  readonly created: boolean;
  /** Keys of others that say the same. */
  readonly similarTo: readonly string[];
  readonly category: MemoryCategory;
  readonly trust: Trust;
}

declare module "@toolwright/engine" {
  interface CapabilityRegistry {
    /** What an agent, or a person who calls without one, remembers across sessions. */
    memory: Capability<"read", ReadMemory> | Capability<"write", WriteMemory>;
  }
}

export interface MemoryParts {
  readonly store: MemoryStore;
  /** Opens the model that makes vectors. Left out: words and names decide. */
  readonly embedder?: (() => Promise<Embedder>) | undefined;
  readonly foreign: ForeignMarks;
  readonly clock: Clock;
  readonly ids: Ids;
}

const dailyMs = 30 * 24 * 60 * 60 * 1_000;
const mostSimilar = 3;
/** That entries which say the same are looked for by. */
const mostWords = 6;

/** Gives `ctx.memory`. */
export function memoryCapability(parts: MemoryParts): CapabilityProvider<"memory"> {
  return {
    name: "memory",
    weigh: (effect) => ({ changes: effect === "write", openWorld: false }),
    open: (_effect, site) => new MemoryOf(site, parts),
    concern: (call, site) => concernOf(call, { ...site, owner: memoryOwnerOf(site.principal), ...parts }),
  };
}

class MemoryOf implements WriteMemory {
  readonly #site: CallSite;
  readonly #parts: MemoryParts;
  readonly #owner: MemoryOwner;

  constructor(site: CallSite, parts: MemoryParts) {
    this.#site = site;
    this.#parts = parts;
    this.#owner = memoryOwnerOf(site.principal);
  }

  async search(text: string, { category, limit }: Parameters<ReadMemory["search"]>[1]): Promise<FoundMemories> {
    const { store, embedder, clock } = this.#parts;
    const { principal, session, signal } = this.#site;
    const query = readQuery(text);
    const { vector, without } = await askVectors(
      query,
      { index: store.vectors, embedder },
      { ...this.#owner, sharer: sharerOf(principal), signal },
    );
    const found = await store.search(this.#owner, {
      ...query,
      ...(vector && { vector }),
      ...(category && { category }),
      session,
      now: clock.now(),
    });
    const describe = ({ content, key, savedAt }: Memory) => ({ text: content, names: key, savedAt });
    const { items, ranking } = rankFound(query, found, { limit, describe, without });
    return { entries: items, ranking };
  }

  async get(key: string) {
    const found = await this.#parts.store.get(this.#owner, key, this.#parts.clock.now());
    if (!found) throw memoryMissing(key);
    return found;
  }

  async save({ content, key, category, expiresAt }: MemoryDraft): Promise<SavedMemory> {
    const { store, clock, ids, foreign } = this.#parts;
    const { session, principal, callId } = this.#site;
    if (key !== undefined) checkKey(key);
    const savedAt = clock.now();
    const origin = originOf(await trustOf(principal, session, foreign), callId);
    const kept = category ?? (origin.trust === "foreign" ? "daily" : "core");
    const until = expiresAt ?? (kept === "daily" ? savedAt + dailyMs : undefined);
    const own = key ?? ids.next("mem");
    const similarTo = (await this.#findSimilar(content, savedAt)).filter((each) => each !== own).slice(0, mostSimilar);
    const { version, created } = await store.save(this.#owner, {
      ...{ key: own, content, category: kept, ...origin, savedAt, by: principal.actor, index: indexText(content, key) },
      ...(kept === "conversation" && { session }),
      ...(until !== undefined && { expiresAt: until }),
    });
    return { key: own, version, created, similarTo, category: kept, trust: origin.trust };
  }

  async forget(key: string): Promise<number> {
    const removed = await this.#parts.store.forget(this.#owner, key);
    if (removed === 0) throw memoryMissing(key);
    return removed;
  }

  /** By words alone: a vector would take longer than all the rest. */
  async #findSimilar(content: string, now: number): Promise<readonly string[]> {
    const { words, ...query } = readQuery(content);
    // Long words are the rare ones.
    const telling = words.toSorted((one, other) => other.length - one.length).slice(0, mostWords);
    const search = { ...query, words: telling, codes: [], session: this.#site.session, now, quick: true };
    const { items } = await this.#parts.store.search(this.#owner, search);
    const own = { text: content };
    return [...items.values()].filter((each) => saysTheSame(own, { text: each.content })).map(({ key }) => key);
  }
}

/** Throws `invalid_input` for a key that a database cannot hold. */
function checkKey(key: string): void {
  if (key === key.toWellFormed() && !key.includes("\u0000")) return;
  throw new ToolwrightError("invalid_input", "The key holds characters that no key can have. Use letters, digits and signs.");
}

function memoryMissing(key: string): ToolwrightError {
  return new ToolwrightError(
    "memory_not_found",
    `There is no memory with the key ${JSON.stringify(key)}. Find it with memory_search, which shows the key of each.`,
  );
}
