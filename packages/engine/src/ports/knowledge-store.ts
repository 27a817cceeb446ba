import type { Trust } from "../contract/foreign.ts";
import type { Actor } from "../contract/principal.ts";
import type { Lease } from "./call-tree.ts";
import type { MemorySource } from "./memory-store.ts";
import type { FoundSet, IndexedText, SearchQuery, VectorIndex } from "./text-index.ts";

export const documentStates = ["queued", "reading", "ready", "failed"] as const;
export type DocumentState = (typeof documentStates)[number];

export interface DocumentSource {
  readonly kind: "file" | "url" | "text";
  /** Its path or URL. One place of a collection is one document. */
  readonly place?: string;
}

/** Times are milliseconds since 1970. */
export interface DocumentRecord {
  readonly id: string;
  readonly tenant: string;
  readonly collection: string;
  readonly title: string;
  readonly source: DocumentSource;
  readonly mediaType: string;
  /** SHA-256 of its bytes. */
  readonly hash: string;
  readonly trust: Trust;
  /** The version that answers; 0 before there is one. */
  readonly version: number;
  readonly state: DocumentState;
  readonly error?: string;
  readonly chunks: number;
  readonly pages?: number;
  readonly writtenBy: Actor;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Of the version that waits; the one before answers until that is ready. */
  readonly job?: string;
}

export interface NewDocument extends Pick<DocumentRecord, "collection" | "title" | "source" | "mediaType" | "hash" | "trust"> {
  /** Of a document that gets a new version. Default: the one of the same place, else a new one. */
  readonly id?: string;
  readonly sources: readonly MemorySource[];
  readonly by: Actor;
  readonly at: number;
}

/** A passage of a document. */
export interface Chunk {
  readonly text: string;
  readonly headings: readonly string[];
  readonly page?: number;
  readonly lines?: readonly [from: number, to: number];
  /** Where it begins in the text of the document. */
  readonly from: number;
  readonly index: IndexedText;
}

export interface Passage extends Omit<Chunk, "index"> {
  readonly id: string;
  readonly document: DocumentRecord;
}

/** A version that is to be read. */
export interface IngestRef {
  readonly tenant: string;
  readonly document: string;
  readonly version: number;
}

export interface IngestJob extends IngestRef {
  readonly record: DocumentRecord;
  readonly mediaType: string;
  /** Runs that began before. */
  readonly attempts: number;
  bytes(): Promise<Uint8Array>;
}

/** What became of a version. */
export interface InstalledVersion {
  readonly holder: string;
  readonly title?: string;
  readonly pages?: number;
  readonly chunks: readonly Chunk[];
  readonly at: number;
}

/** *Contract:* a search sees a version whole or not at all; what `remove` resolved for is in no later search. */
export interface KnowledgeStore {
  /** Takes the bytes in. `unchanged` where the hash is that of the current version. Otherwise a job waits. */
  put(
    tenant: string,
    document: NewDocument,
    bytes: AsyncIterable<Uint8Array> | Uint8Array,
  ): Promise<{ readonly document: DocumentRecord; readonly unchanged: boolean; readonly job?: string }>;
  due(options: { readonly now: number; readonly limit: number }): Promise<readonly IngestRef[]>;
  /** One run gets it, the others not before its lease is over. */
  take(ref: IngestRef, lease: Lease, now: number): Promise<IngestJob | undefined>;
  renew(ref: IngestRef, lease: Lease): Promise<boolean>;
  /** Replaces the passages and drops the bytes at once; false where the run does not hold it any more, or the document is gone. */
  install(ref: IngestRef, ready: InstalledVersion): Promise<boolean>;
  /** `again`: when it is tried once more, in milliseconds since 1970; else it is failed. */
  fail(
    ref: IngestRef,
    failed: { readonly holder: string; readonly error: string; readonly again?: number; readonly at: number },
  ): Promise<boolean>;
  get(tenant: string, id: string): Promise<DocumentRecord | undefined>;
  /** The text of the current version from a character on. */
  read(
    tenant: string,
    id: string,
    options: { readonly offset: number; readonly length: number },
  ): Promise<{ readonly text: string; readonly total: number } | undefined>;
  list(
    tenant: string,
    page: { readonly collection?: string; readonly cursor?: string; readonly limit?: number },
  ): Promise<{ readonly documents: readonly DocumentRecord[]; readonly next?: string }>;
  /** How many passages were removed. */
  remove(tenant: string, id: string): Promise<number>;
  search(
    tenant: string,
    search: SearchQuery & { readonly collection?: string },
  ): Promise<FoundSet<Passage> & { readonly notSearched: readonly Pick<DocumentRecord, "id" | "title" | "state">[] }>;
  onDue(listener: () => void): () => void;
  readonly vectors: VectorIndex;
}
