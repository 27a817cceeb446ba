import {
  createRandomIds,
  documentCursor,
  type Ids,
  type KnowledgeStore,
  mostDocumentsOfPage,
  type PersonLimits,
} from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import type { SearchAids } from "../search/search-aids.ts";
import type { StoredVectors } from "../vectors/stored-vectors.ts";
import { chunkVectors } from "../vectors/vector-source.ts";
import { installVersion } from "./install-version.ts";
import { readText, searchDocuments, selectDocument, selectDue, selectList, toRecord } from "./read-documents.ts";
import {
  appendPart,
  beginUpload,
  failVersion,
  finishUpload,
  releaseVersion,
  removeDocument,
  renewLease,
  takeVersion,
} from "./write-documents.ts";

/** Announced with the document's id: a version of it may be due, or its passages have no vectors yet. */
const documentsTopic = chunkVectors.topic;

/** Bytes that are read in one transaction. */
const partsAtOnce = 4;

export interface KnowledgeParts {
  readonly findAids: () => Promise<SearchAids>;
  readonly vectors: StoredVectors;
  readonly ids?: Ids;
  /** Limits of uploads. */
  readonly limits?: PersonLimits;
}

/** Documents in PostgreSQL: who takes a version has the row of its document. */
export function createPostgresKnowledge(
  database: Database,
  { findAids, vectors, ids = createRandomIds(), limits }: KnowledgeParts,
): KnowledgeStore {
  const inTenant = <Result>(tenant: string, work: (query: Query) => Promise<Result>) => database.asTenant(tenant, work);
  return {
    begin: (tenant, document) => inTenant(tenant, (query) => beginUpload(query, { tenant, upload: ids.next("upl"), limits }, document)),
    append: (tenant, upload, part) => inTenant(tenant, (query) => appendPart(query, { tenant, upload }, part)),
    async finish(tenant, upload, at) {
      const document = await inTenant(tenant, (query) => finishUpload(query, { tenant, upload, id: ids.next("doc"), at }));
      if (document) database.announce({ topic: documentsTopic, tenant, id: document.id });
      return document;
    },
    due: (filter) => database.asSystem(async (query) => (await selectDue(filter).execute(query)).rows),
    async take(ref, lease, now) {
      const taken = await inTenant(ref.tenant, (query) => takeVersion(query, ref, { ...lease, now }));
      if (!taken) return undefined;
      const { upload, ...job } = taken;
      return { ...job, bytes: () => readBytes(database, ref.tenant, upload) };
    },
    renew: (ref, lease) => inTenant(ref.tenant, (query) => renewLease(query, ref, lease)),
    async install(ref, version) {
      const isInstalled = await installVersion(database, ref, version);
      // Its passages have no vectors yet.
      if (isInstalled) vectors.changed(ref.tenant, ref.document);
      return isInstalled;
    },
    async release(ref, released) {
      const isReleased = await inTenant(ref.tenant, (query) => releaseVersion(query, ref, released));
      if (isReleased) database.announce({ topic: documentsTopic, tenant: ref.tenant, id: ref.document });
      return isReleased;
    },
    fail: (ref, failed) => inTenant(ref.tenant, (query) => failVersion(query, ref, failed)),
    async get(tenant, id) {
      const row = await inTenant(tenant, (query) => selectDocument(query, { tenant, id }).executeTakeFirst());
      return row && toRecord(row);
    },
    read: (tenant, id, part) => inTenant(tenant, (query) => readText(query, { tenant, id }, part)),
    async list(tenant, page) {
      const most = Math.min(page.limit ?? mostDocumentsOfPage, mostDocumentsOfPage);
      const rows = (await inTenant(tenant, async (query) => selectList(query, tenant, page).execute())).map(toRecord);
      const documents = rows.slice(0, most);
      const last = documents.at(-1);
      return { documents, ...(last && rows.length > most && { next: documentCursor(last) }) };
    },
    remove: (tenant, id) => inTenant(tenant, (query) => removeDocument(query, { tenant, id })),
    async search(tenant, search) {
      const aids = await findAids();
      return inTenant(tenant, (query) => searchDocuments(query, tenant, { ...search, aids }));
    },
    onDue: (listener) => database.listen(documentsTopic, () => listener()),
    vectors,
  };
}

/** What an upload holds, some parts at a time. */
async function readBytes(database: Database, tenant: string, upload: string): Promise<Uint8Array> {
  const all: Buffer[] = [];
  for (let last = -1, isOver = false; !isOver; ) {
    const parts = await database.asTenant(tenant, (query) =>
      query
        .selectFrom("toolwright.document_bytes")
        .select(["part", "bytes"])
        .where("tenant", "=", tenant)
        .where("upload", "=", upload)
        .where("part", ">", last)
        .orderBy("part")
        .limit(partsAtOnce)
        .execute(),
    );
    all.push(...parts.map(({ bytes }) => bytes));
    last = parts.at(-1)?.part ?? last;
    isOver = parts.length < partsAtOnce;
  }
  return Buffer.concat(all);
}
