import type { ForeignKind, Trust } from "../contract/foreign.ts";
import type { Actor, Principal } from "../contract/principal.ts";
import { definePort } from "./define-port.ts";
import type { FoundSet, IndexedText, SearchQuery, VectorIndex } from "./text-index.ts";

/** `core` stays, `daily` expires, `conversation` goes with its session. */
export const memoryCategories = ["core", "daily", "conversation"] as const;
export type MemoryCategory = (typeof memoryCategories)[number];

/** Characters of one entry; a key has at most 200. */
export const mostMemoryCharacters = 8_000;
export const mostMemoryVersions = 20;

/** Whose memories: `agent:<id>`, or of a caller without an agent `user:<id>` or `service:<id>`. */
export interface MemoryOwner {
  readonly tenant: string;
  readonly owner: string;
}

/** An agent has memories of its own, whoever talks to it; without one they are the caller's. */
export function memoryOwnerOf({ tenant, agent, actor: { kind, id } }: Principal): MemoryOwner {
  return { tenant, owner: agent === undefined ? `${kind}:${id}` : `agent:${agent}` };
}

/** What an entry came from. */
export interface MemorySource {
  readonly kind: ForeignKind | "call";
  readonly callId?: string;
  readonly place?: string;
}

/** Times are milliseconds since 1970. */
export interface Memory {
  readonly key: string;
  readonly content: string;
  readonly category: MemoryCategory;
  readonly trust: Trust;
  readonly sources: readonly MemorySource[];
  /** Session of an entry from a conversation. */
  readonly session?: string;
  readonly version: number;
  readonly createdAt: number;
  readonly savedAt: number;
  readonly expiresAt?: number;
}

export interface NewMemory extends Omit<Memory, "version" | "createdAt"> {
  readonly by: Actor;
  readonly index: IndexedText;
}

export interface MemoryVersion extends Pick<Memory, "version" | "content" | "category" | "trust" | "sources" | "savedAt"> {
  readonly by: Actor;
}

export interface MemorySearch extends SearchQuery {
  readonly category?: MemoryCategory;
  /** Entries of a conversation are those of this session alone. */
  readonly session?: string;
  readonly now: number;
  /** True: looks at fewer entries, for what must not wait. */
  readonly quick?: boolean;
}

export interface MemoryPage {
  readonly after?: string;
  readonly limit?: number;
  readonly category?: MemoryCategory;
  readonly now: number;
}

/**
 * *Contract:* another owner's entries are as if they were not there. Saves of one key from any number of processes all become versions, none
 * is lost. The last 20 versions are kept.
 */
export interface MemoryStore {
  save(owner: MemoryOwner, memory: NewMemory): Promise<{ readonly version: number; readonly created: boolean }>;
  /** Versions newest first. */
  get(
    owner: MemoryOwner,
    key: string,
    now: number,
  ): Promise<{ readonly memory: Memory; readonly versions: readonly MemoryVersion[] } | undefined>;
  /** How many versions were removed; 0 where there was no such entry. */
  forget(owner: MemoryOwner, key: string): Promise<number>;
  /** Forgets all of an owner. */
  clear(owner: MemoryOwner): Promise<void>;
  search(owner: MemoryOwner, search: MemorySearch): Promise<FoundSet<Memory>>;
  /** In the order of their keys. */
  list(owner: MemoryOwner, page: MemoryPage): Promise<{ readonly memories: readonly Memory[]; readonly next?: string }>;
  owners(tenant: string): Promise<readonly { readonly owner: string; readonly count: number }[]>;
  readonly vectors: VectorIndex;
}

/** Memories with what a new one is indexed by. */
export interface Memories {
  readonly store: MemoryStore;
  /** *Contract:* pure. */
  indexOf(content: string, key: string): IndexedText;
}

export const memoriesPort = definePort<Memories>()(
  "memories",
  "a store of memories, such as createMemoryMemories(), with indexText of @toolwright/tools",
);
