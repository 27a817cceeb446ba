import { ToolwrightError } from "../contract/errors.ts";
import type { Trust } from "../contract/foreign.ts";
import type { Actor } from "../contract/principal.ts";
import type { Lease } from "./call-tree.ts";
import { definePort } from "./define-port.ts";
import type { Sharer } from "./fair-pool.ts";
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
  /** Why the last version could not be read; of one that is ready, what of it could not. */
  readonly error?: string;
  readonly chunks: number;
  readonly pages?: number;
  readonly writtenBy: Actor;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The one that waits or is read; the one before answers until it is ready. */
  readonly nextVersion?: number;
}

export interface NewDocument extends Pick<DocumentRecord, "collection" | "title" | "source" | "mediaType" | "hash" | "trust"> {
  /** Id of the document that gets a new version, in its collection. Default: the one of the same place, else a new one. */
  readonly id?: string;
  readonly sources: readonly MemorySource[];
  readonly by: Actor;
  /** The person for whom it waits, as `sharerOf` names one. Default: `by`. */
  readonly sharer?: string;
  readonly at: number;
}

/** The person for whom a document waits, as `sharerOf` names one. */
export const personWaitingFor = ({ sharer, by }: Pick<NewDocument, "by" | "sharer">): string => sharer ?? `${by.kind} ${by.id}`;

/** A part of the bytes of an upload: numbered from 0, none larger than `mostPartBytes`. */
export interface UploadPart {
  readonly part: number;
  readonly bytes: Uint8Array;
  readonly at: number;
}

export const mostPartBytes = 250_000;

/** A passage of a document. */
export interface Chunk {
  readonly text: string;
  readonly headings: readonly string[];
  readonly page?: number;
  /** Cell of a notebook. */
  readonly cell?: number;
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

/** A version that a run took, with what was said of it when it came. */
export interface IngestJob extends IngestRef {
  readonly record: DocumentRecord;
  readonly given: NewDocument;
  /** Runs that began before. */
  readonly attempts: number;
  bytes(): Promise<Uint8Array>;
}

/** What a version turned out to hold. */
export interface ReadVersion {
  readonly holder: string;
  readonly title?: string;
  readonly pages?: number;
  /** What of it could not be read, for `error` of the document. */
  readonly unread?: string;
  /** In their order; gone through once. */
  readonly chunks: Iterable<Chunk>;
  readonly at: number;
}

export interface FailedVersion {
  readonly holder: string;
  readonly error: string;
  /** When it is tried once more, in milliseconds since 1970. Without it, the version and its bytes are given up. */
  readonly again?: number;
  readonly at: number;
}

export interface DocumentPage {
  readonly collection?: string;
  readonly cursor?: string;
  readonly limit?: number;
}

export interface DocumentSearch extends SearchQuery {
  readonly collection?: string;
}

export interface FoundPassages extends FoundSet<Passage> {
  /** Documents of which a version is missing in what was searched: it waits, or could not be read. At most 50. */
  readonly notSearched: readonly Pick<DocumentRecord, "id" | "title" | "state">[];
}

/**
 * Documents, and the passages that they are cut into. *Contract:* a search sees a version whole or not at all; what `remove` resolved for is in no
 * later search. One place of a collection is one document. What belongs to another tenant is not found.
 */
export interface KnowledgeStore {
  /**
   * Begins to take a version in, which nobody sees before `finish`; one that is not finished is removed. Writes nothing where its hash and
   * media type are those of the last version. Rejects with `document_not_found` for an id that there is not, and with `invalid_input` for a place of another document.
   */
  begin(tenant: string, document: NewDocument): Promise<{ readonly unchanged: DocumentRecord } | { readonly upload: string }>;
  /** Adds to the bytes; a part that came before is replaced. False where there is no such upload. */
  append(tenant: string, upload: string, part: UploadPart): Promise<boolean>;
  /** The version waits to be read, in the place of one that waited before. Undefined where there is no such upload. */
  finish(tenant: string, upload: string, at: number): Promise<DocumentRecord | undefined>;
  /**
   * Versions of any tenant that somebody should read now. *Contract:* a tenant's first goes before another's second, and so does a person's within
   * the tenant; what is being read counts. Among equals lots decide, anew for each `now`, so that nobody is always last; a person's own go in the
   * order in which they came.
   */
  due(options: { readonly now: number; readonly limit: number }): Promise<readonly IngestRef[]>;
  /** One run gets it, the others not before its lease is over. */
  take(ref: IngestRef, lease: Lease, now: number): Promise<IngestJob | undefined>;
  /** False where the run does not hold it any more. */
  renew(ref: IngestRef, lease: Lease): Promise<boolean>;
  /** Puts the passages in the place of those before, and drops the bytes. False, and nothing is changed, where the run does not hold it any more. */
  install(ref: IngestRef, read: ReadVersion): Promise<boolean>;
  /** The run gives it back, as if it had not begun: another one takes it at once. False where it does not hold it any more. */
  release(ref: IngestRef, released: { readonly holder: string; readonly at: number }): Promise<boolean>;
  /** False where the run does not hold it any more. */
  fail(ref: IngestRef, failed: FailedVersion): Promise<boolean>;
  get(tenant: string, id: string): Promise<DocumentRecord | undefined>;
  /** The text of the version that answers, from a character on. Its passages, each with an empty line behind it, are all of it. */
  read(
    tenant: string,
    id: string,
    options: { readonly offset: number; readonly length: number },
  ): Promise<{ readonly text: string; readonly total: number } | undefined>;
  /** Newest first, at most 100. */
  list(tenant: string, page: DocumentPage): Promise<{ readonly documents: readonly DocumentRecord[]; readonly next?: string }>;
  /** How many passages were removed. Undefined where there is no such document. */
  remove(tenant: string, id: string): Promise<number | undefined>;
  search(tenant: string, search: DocumentSearch): Promise<FoundPassages>;
  /** Calls back when versions may be due, of whichever tenant. Returns how to stop. */
  onDue(listener: () => void): () => void;
  readonly vectors: VectorIndex;
}

/** What a search found, in order, as people see it. */
export interface FoundDocumentPassages {
  readonly items: readonly {
    readonly text: string;
    readonly citation: string;
    readonly document: string;
    readonly title: string;
    readonly page?: number | undefined;
    readonly offset: number;
    readonly score: number;
    readonly weak: boolean;
  }[];
  readonly without: readonly string[];
  readonly notSearched: FoundPassages["notSearched"];
}

/** What people manage documents with. */
export interface Knowledge {
  readonly store: KnowledgeStore;
  /** Puts what the store finds in order. */
  readonly search: (
    tenant: string,
    query: string,
    options: { readonly collection?: string; readonly limit: number; readonly sharer?: Sharer; readonly signal?: AbortSignal },
  ) => Promise<FoundDocumentPassages>;
}

export const knowledgePort = definePort<Knowledge>()(
  "knowledge",
  "a store of documents, such as createMemoryKnowledge(), with searchKnowledge of @toolwright/tools",
);

/** Takes a whole version in: gives the document, and whether that was its last version already. */
export async function putDocument(
  store: KnowledgeStore,
  { tenant, ...document }: NewDocument & { readonly tenant: string },
  bytes: Uint8Array,
): Promise<{ readonly document: DocumentRecord; readonly unchanged: boolean }> {
  const { at } = document;
  const begun = await store.begin(tenant, document);
  if ("unchanged" in begun) return { document: begun.unchanged, unchanged: true };
  const { upload } = begun;
  for (let part = 0; part === 0 || part * mostPartBytes < bytes.length; part += 1)
    await store.append(tenant, upload, { part, bytes: bytes.subarray(part * mostPartBytes, (part + 1) * mostPartBytes), at });
  const finished = await store.finish(tenant, upload, at);
  if (!finished) throw new ToolwrightError("document_not_found", "The upload was removed before it was finished. Add the document again.");
  return { document: finished, unchanged: false };
}

/** Names the reading of the version that waits. */
export const jobOf = ({ id, nextVersion }: Pick<DocumentRecord, "id" | "nextVersion">) =>
  nextVersion === undefined ? undefined : `ingest_${id}_${nextVersion}`;

/** The error of a document that there is not. */
export function documentNotFound(id: string): ToolwrightError {
  return new ToolwrightError("document_not_found", `There is no document ${JSON.stringify(id)}. List the documents to see what there is.`);
}

export function documentSourceTaken(id: string): ToolwrightError {
  return new ToolwrightError(
    "invalid_input",
    `What was named is the document ${JSON.stringify(id)} already. Write that one, or remove it first.`,
  );
}

/** Where the next page of a list begins: after this document. */
export const documentCursor = ({ createdAt, id }: Pick<DocumentRecord, "createdAt" | "id">) => `${createdAt}_${id}`;

export function readDocumentCursor(cursor: string): { readonly at: number; readonly id: string } {
  const [, at, id] = /^(\d{1,15})_(.+)$/s.exec(cursor) ?? [];
  if (at === undefined || id === undefined)
    throw new ToolwrightError("invalid_input", "The cursor is none. Use the one that came with a page.");
  return { at: Number(at), id };
}

export const mostUnsearched = 50;
export const mostDocumentsOfPage = 100;
