import { sha256 } from "../contract/digest.ts";
import type { Lease } from "../ports/call-tree.ts";
import { createRandomIds, type Ids } from "../ports/ids.ts";
import {
  type Chunk,
  type DocumentPage,
  type DocumentRecord,
  type DocumentSearch,
  documentCursor,
  documentNotFound,
  documentSourceTaken,
  type FailedVersion,
  type FoundPassages,
  type IngestJob,
  type IngestRef,
  type KnowledgeStore,
  mostDocumentsOfPage,
  mostUnsearched,
  type NewDocument,
  type Passage,
  personWaitingFor,
  type ReadVersion,
  readDocumentCursor,
  type UploadPart,
} from "../ports/knowledge-store.ts";
import { matchTexts } from "./match-texts.ts";
import { noVectors } from "./no-vectors.ts";

interface Upload {
  readonly document: NewDocument;
  readonly parts: Map<number, Uint8Array>;
}

interface Waiting {
  readonly document: NewDocument;
  readonly version: number;
  readonly upload: string;
  attempts: number;
  dueAt: number;
  holder: string | undefined;
}

interface Row {
  record: DocumentRecord;
  /** Place of the last version, which may wait. */
  place: string | undefined;
  waiting: Waiting | undefined;
  chunks: readonly (Chunk & { readonly id: string })[];
}

const keyOf = (tenant: string, id: string) => JSON.stringify([tenant, id]);

/** Keeps documents in memory: lost with the process. */
export function createMemoryKnowledge({ ids = createRandomIds() }: { readonly ids?: Ids } = {}): KnowledgeStore {
  return new MemoryKnowledge(ids);
}

interface InTurn {
  readonly record: DocumentRecord;
  readonly waiting: Waiting;
}

interface TurnOptions {
  readonly now: number;
  readonly reading: readonly InTurn[];
  readonly sharerOf: (each: InTurn) => string;
}

/** Orders what is due, whose order is kept within each sharer, by turns: what is being read took its sharer's first ones. */
function inTurns(due: readonly InTurn[], { now, reading, sharerOf }: TurnOptions): readonly InTurn[] {
  const turns = new Map<string, number>();
  const take = (each: InTurn) => {
    const turn = (turns.get(sharerOf(each)) ?? 0) + 1;
    turns.set(sharerOf(each), turn);
    return turn;
  };
  reading.forEach(take);
  const taken = due.map((each) => ({ each, turn: take(each), lot: sha256(`${now} ${sharerOf(each)}`) }));
  return taken.sort((one, other) => one.turn - other.turn || (one.lot < other.lot ? -1 : 1)).map(({ each }) => each);
}

class MemoryKnowledge implements KnowledgeStore {
  readonly #rows = new Map<string, Row>();
  readonly #uploads = new Map<string, Upload>();
  readonly #listeners = new Set<() => void>();
  readonly #ids: Ids;
  readonly vectors = noVectors;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  async begin(tenant: string, document: NewDocument) {
    const row = this.#rowOf(tenant, document);
    const last = row?.waiting?.document ?? row?.record;
    const isSame = last?.hash === document.hash && last.mediaType === document.mediaType;
    if (row && isSame && row.record.state !== "failed") return { unchanged: toRecord(row) };
    const upload = this.#ids.next("upl");
    this.#uploads.set(keyOf(tenant, upload), { document: structuredClone(document), parts: new Map() });
    return { upload };
  }

  async append(tenant: string, upload: string, { part, bytes }: UploadPart): Promise<boolean> {
    const found = this.#uploads.get(keyOf(tenant, upload));
    found?.parts.set(part, Uint8Array.from(bytes));
    return found !== undefined;
  }

  async finish(tenant: string, upload: string, at: number): Promise<DocumentRecord | undefined> {
    const document = this.#uploads.get(keyOf(tenant, upload))?.document;
    if (!document) return undefined;
    const row = this.#rowOf(tenant, document) ?? this.#create(tenant, document, at);
    this.#drop(tenant, row);
    const version = (row.waiting?.version ?? row.record.version) + 1;
    row.place = document.source.place;
    row.waiting = { document, version, upload, attempts: 0, dueAt: at, holder: undefined };
    row.record = { ...withoutError(row.record), state: "queued", updatedAt: at };
    for (const listener of this.#listeners) listener();
    return toRecord(row);
  }

  async due({ now, limit }: { readonly now: number; readonly limit: number }): Promise<readonly IngestRef[]> {
    const all = [...this.#rows.values()].flatMap(({ record, waiting }) => (waiting ? [{ record, waiting }] : []));
    const due = all.filter(({ waiting }) => waiting.dueAt <= now).sort((one, other) => one.waiting.dueAt - other.waiting.dueAt);
    const reading = all.filter(({ waiting }) => waiting.dueAt > now && waiting.holder !== undefined);
    const personOf = ({ record, waiting: { document } }: InTurn) => keyOf(record.tenant, personWaitingFor(document));
    const ofPersons = inTurns(due, { now, reading, sharerOf: personOf });
    const ofTenants = inTurns(ofPersons, { now, reading, sharerOf: ({ record }) => record.tenant });
    return ofTenants
      .slice(0, limit)
      .map(({ record, waiting }) => ({ tenant: record.tenant, document: record.id, version: waiting.version }));
  }

  async take(ref: IngestRef, { holder, until }: Lease, now: number): Promise<IngestJob | undefined> {
    const { row, waiting } = this.#waiting(ref) ?? {};
    if (!row || !waiting || waiting.dueAt > now) return undefined;
    const { attempts, upload, document } = waiting;
    Object.assign(waiting, { holder, dueAt: until, attempts: attempts + 1 });
    row.record = { ...row.record, state: "reading" };
    const parts = this.#uploads.get(keyOf(ref.tenant, upload))?.parts ?? new Map<number, Uint8Array>();
    const bytes = async () => Buffer.concat([...parts].sort(([one], [other]) => one - other).map(([, part]) => part));
    return { ...ref, record: toRecord(row), given: structuredClone(document), attempts, bytes };
  }

  async renew(ref: IngestRef, { holder, until }: Lease): Promise<boolean> {
    const held = this.#held(ref, holder);
    if (held) held.waiting.dueAt = until;
    return held !== undefined;
  }

  async install(ref: IngestRef, { holder, title, pages, unread, chunks, at }: ReadVersion): Promise<boolean> {
    const held = this.#held(ref, holder);
    if (!held) return false;
    const { row, waiting } = held;
    const { document } = waiting;
    row.chunks = [...chunks].map((chunk, index) => ({ ...structuredClone(chunk), id: `${ref.document}_${ref.version}_${index + 1}` }));
    const { pages: _, error: __, ...before } = row.record;
    row.record = {
      ...before,
      ...pick(document),
      ...{ title: title ?? document.title, version: ref.version, state: "ready", chunks: row.chunks.length, updatedAt: at },
      ...(pages !== undefined && { pages }),
      ...(unread !== undefined && { error: unread }),
    };
    this.#drop(ref.tenant, row);
    row.waiting = undefined;
    return true;
  }

  async release(ref: IngestRef, { holder, at }: { readonly holder: string; readonly at: number }): Promise<boolean> {
    const held = this.#held(ref, holder);
    if (!held) return false;
    const { row, waiting } = held;
    Object.assign(waiting, { holder: undefined, dueAt: at, attempts: waiting.attempts - 1 });
    row.record = { ...row.record, state: "queued" };
    for (const listener of this.#listeners) listener();
    return true;
  }

  async fail(ref: IngestRef, { holder, error, again, at }: FailedVersion): Promise<boolean> {
    const held = this.#held(ref, holder);
    if (!held) return false;
    const { row, waiting } = held;
    row.record = { ...row.record, state: again === undefined ? "failed" : "queued", error, updatedAt: at };
    if (again !== undefined) Object.assign(waiting, { dueAt: again, holder: undefined });
    else {
      this.#drop(ref.tenant, row);
      row.waiting = undefined;
    }
    return true;
  }

  async get(tenant: string, id: string): Promise<DocumentRecord | undefined> {
    const row = this.#rows.get(keyOf(tenant, id));
    return row && toRecord(row);
  }

  async read(tenant: string, id: string, { offset, length }: { readonly offset: number; readonly length: number }) {
    const row = this.#rows.get(keyOf(tenant, id));
    if (!row || row.record.version === 0) return undefined;
    const text = row.chunks.map((chunk) => chunk.text).join("\n\n");
    return { text: text.slice(offset, offset + length), total: text.length };
  }

  async list(tenant: string, { collection, cursor, limit = mostDocumentsOfPage }: DocumentPage) {
    const after = cursor === undefined ? undefined : readDocumentCursor(cursor);
    const all = [...this.#rows.values()]
      .map(toRecord)
      .filter((record) => record.tenant === tenant && (collection === undefined || record.collection === collection))
      .sort((one, other) => other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1))
      .filter(({ createdAt, id }) => !after || createdAt < after.at || (createdAt === after.at && id < after.id));
    const documents = all.slice(0, Math.min(limit, mostDocumentsOfPage));
    const last = documents.at(-1);
    return { documents, ...(last && all.length > documents.length && { next: documentCursor(last) }) };
  }

  async remove(tenant: string, id: string): Promise<number | undefined> {
    const row = this.#rows.get(keyOf(tenant, id));
    if (!row) return undefined;
    this.#drop(tenant, row);
    this.#rows.delete(keyOf(tenant, id));
    return row.chunks.length;
  }

  async search(tenant: string, { collection, ...search }: DocumentSearch): Promise<FoundPassages> {
    const rows = [...this.#rows.values()].filter(
      ({ record }) => record.tenant === tenant && (collection === undefined || record.collection === collection),
    );
    const passages = rows.flatMap((row) => row.chunks.map((chunk) => [chunk.id, { row, chunk }] as const));
    const found = matchTexts(
      passages.map(
        ([
          id,
          {
            chunk: { index },
          },
        ]) => ({ id, index }),
      ),
      search,
    );
    const all = new Map(passages);
    const items = new Map(
      found.candidates.flatMap(({ id }): [string, Passage][] => {
        const passage = all.get(id);
        if (!passage) return [];
        const { index: _, ...chunk } = passage.chunk;
        return [[id, { ...structuredClone(chunk), document: toRecord(passage.row) }]];
      }),
    );
    const notSearched = rows.filter(({ record }) => record.state !== "ready").slice(0, mostUnsearched);
    return {
      ...found,
      items,
      notSearched: notSearched.map((row) => {
        const { id, title, state } = toRecord(row);
        return { id, title, state };
      }),
    };
  }

  onDue(listener: () => void): () => void {
    const own = () => listener();
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  #rowOf(tenant: string, { id, collection, source }: NewDocument): Row | undefined {
    const rows = [...this.#rows.values()].filter(({ record }) => record.tenant === tenant);
    const placed = rows.find(
      ({ record, place }) => source.place !== undefined && record.collection === collection && place === source.place,
    );
    if (id === undefined) return placed;
    const named = this.#rows.get(keyOf(tenant, id));
    if (!named) throw documentNotFound(id);
    if (placed && placed !== named) throw documentSourceTaken(placed.record.id);
    return named;
  }

  #create(tenant: string, document: NewDocument, at: number): Row {
    const id = this.#ids.next("doc");
    const empty = { version: 0, state: "queued", chunks: 0, createdAt: at, updatedAt: at } as const;
    const row: Row = {
      record: { ...pick(document), id, tenant, collection: document.collection, ...empty },
      place: document.source.place,
      waiting: undefined,
      chunks: [],
    };
    this.#rows.set(keyOf(tenant, id), row);
    return row;
  }

  #waiting({ tenant, document, version }: IngestRef): { readonly row: Row; readonly waiting: Waiting } | undefined {
    const row = this.#rows.get(keyOf(tenant, document));
    return row?.waiting?.version === version ? { row, waiting: row.waiting } : undefined;
  }

  #held(ref: IngestRef, holder: string) {
    const found = this.#waiting(ref);
    return found?.waiting.holder === holder ? found : undefined;
  }

  #drop(tenant: string, { waiting }: Row): void {
    if (waiting) this.#uploads.delete(keyOf(tenant, waiting.upload));
  }
}

const pick = ({ title, source, mediaType, hash, trust, by }: NewDocument) =>
  structuredClone({ title, source, mediaType, hash, trust, writtenBy: by });

function withoutError({ error: _, ...record }: DocumentRecord): DocumentRecord {
  return record;
}

function toRecord({ record, waiting }: Row): DocumentRecord {
  return structuredClone({ ...record, ...(waiting && { nextVersion: waiting.version }) });
}
