import {
  type DocumentRecord,
  documentNotFound,
  documentSourceTaken,
  type FailedVersion,
  type IngestJob,
  type IngestRef,
  type Lease,
  limitReached,
  type NewDocument,
  type PersonLimits,
  personWaitingFor,
  type UploadPart,
  usualPersonLimits,
} from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { beginningOf, type DocumentRow, selectDocument, toRecord } from "./read-documents.ts";

interface UploadName {
  readonly tenant: string;
  readonly upload: string;
}

export const uploadLimits = ["openUploads", "uploads", "uploadBytes"] as const;
type UploadLimit = (typeof uploadLimits)[number];

/** The document that a version is of, locked; undefined for a new one. */
async function findTarget(query: Query, tenant: string, { id, collection, source }: NewDocument): Promise<DocumentRow | undefined> {
  const placed =
    source.place === undefined
      ? undefined
      : await query
          .selectFrom("toolwright.documents")
          .selectAll()
          .where("tenant", "=", tenant)
          .where("collection", "=", storableText(collection))
          .where("place", "=", storableText(source.place))
          .forUpdate()
          .executeTakeFirst();
  if (id === undefined) return placed;
  const named = await selectDocument(query, { tenant, id }).forUpdate().executeTakeFirst();
  if (!named) throw documentNotFound(id);
  if (placed && placed.document !== named.document) throw documentSourceTaken(placed.document);
  return named;
}

export async function beginUpload(
  query: Query,
  { tenant, upload, limits = usualPersonLimits }: UploadName & { readonly limits?: PersonLimits | undefined },
  document: NewDocument,
): Promise<{ readonly unchanged: DocumentRecord } | { readonly upload: string }> {
  const row = await findTarget(query, tenant, document);
  if (row && row.state !== "failed") {
    const waiting = row.upload === null ? undefined : await readGiven(query, { tenant, upload: row.upload });
    const last = waiting ?? { hash: row.hash, mediaType: row.media_type };
    if (last.hash === document.hash && last.mediaType === document.mediaType) return { unchanged: toRecord(row) };
  }
  const { sharer: _, ...rest } = document;
  const person = personWaitingFor(document);
  const used = await countUploads(query, tenant, person);
  const reached = uploadLimits.find((limit) => used[limit] >= limits[limit]);
  if (reached) throw limitReached(reached, limits[reached]);
  await query
    .insertInto("toolwright.document_uploads")
    .values({ tenant, upload, given: `${beginningOf(person)}${JSON.stringify(rest).slice(1)}`, written_at: new Date(document.at) })
    .execute();
  return { upload };
}

/** What a person began or has waiting. Parts that come for what was begun count when the next one begins. */
export async function countUploads(query: Query, tenant: string, person: string): Promise<Readonly<Record<UploadLimit, number>>> {
  const { rows } = await sql<Record<UploadLimit, number>>`
    select count(*) filter (where not exists (
        select from toolwright.documents d where d.tenant = upload.tenant and d.upload = upload.upload))::int as "openUploads",
      count(*)::int as uploads,
      coalesce(sum((select sum(octet_length(part.bytes)) from toolwright.document_bytes part
        where part.tenant = upload.tenant and part.upload = upload.upload)), 0)::float8 as "uploadBytes"
    from toolwright.document_uploads upload
    where tenant = ${tenant} and starts_with(given::text, ${beginningOf(person)})`.execute(query);
  return rows[0] ?? { openUploads: 0, uploads: 0, uploadBytes: 0 };
}

async function readGiven(query: Query, { tenant, upload }: UploadName): Promise<NewDocument | undefined> {
  const row = await query
    .selectFrom("toolwright.document_uploads")
    .select("given")
    .where("tenant", "=", tenant)
    .where("upload", "=", storableText(upload))
    .executeTakeFirst();
  return row?.given;
}

export async function appendPart(query: Query, { tenant, upload }: UploadName, { part, bytes, at }: UploadPart): Promise<boolean> {
  const { numUpdatedRows } = await query
    .updateTable("toolwright.document_uploads")
    .set({ written_at: new Date(at) })
    .where("tenant", "=", tenant)
    .where("upload", "=", storableText(upload))
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await query
    .insertInto("toolwright.document_bytes")
    .values({ tenant, upload, part, bytes: Buffer.from(bytes) })
    .onConflict((conflict) => conflict.columns(["tenant", "upload", "part"]).doUpdateSet({ bytes: Buffer.from(bytes) }))
    .execute();
  return true;
}

interface FinishedUpload extends UploadName {
  /** Id of a document that is new. */
  readonly id: string;
  readonly at: number;
}

export async function finishUpload(query: Query, { tenant, upload, id, at }: FinishedUpload): Promise<DocumentRecord | undefined> {
  const given = await readGiven(query, { tenant, upload });
  if (!given) return undefined;
  const row = (await findTarget(query, tenant, given)) ?? (await createDocument(query, { tenant, id, at, given }));
  // Somebody finished it before.
  if (row.upload === upload) return toRecord(row);
  if (row.upload !== null) await removeUpload(query, { tenant, upload: row.upload });
  const queued = await updateDocument(query, { tenant, document: row.document })
    .set({
      ...{ upload, place: placeOf(given), state: "queued", error: null, updated_at: new Date(at) },
      ...{ next_version: sql<number>`coalesce(next_version, version) + 1`, due_at: new Date(at), holder: null, attempts: 0 },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toRecord(queued);
}

const placeOf = ({ source }: NewDocument) => (source.place === undefined ? null : storableText(source.place));

const valuesOf = ({ title, source, mediaType, hash, trust, sources, by }: NewDocument) => ({
  ...{
    title: JSON.stringify(title),
    source: JSON.stringify(source),
    media_type: JSON.stringify(mediaType),
    hash: storableText(hash),
    trust,
  },
  ...{ sources: JSON.stringify(sources), by: JSON.stringify(by) },
});

interface CreatedDocument {
  readonly tenant: string;
  readonly id: string;
  readonly at: number;
  readonly given: NewDocument;
}

/** Creates a document; when two bring the first version of a place at once, the later one gets the other's. */
async function createDocument(query: Query, { tenant, id, at, given }: CreatedDocument): Promise<DocumentRow> {
  const time = new Date(at);
  const made = await query
    .insertInto("toolwright.documents")
    .values({
      ...{ tenant, document: id, collection: storableText(given.collection), place: placeOf(given), ...valuesOf(given) },
      ...{ state: "queued", created_at: time, updated_at: time },
    })
    .onConflict((conflict) => conflict.columns(["tenant", "collection", "place"]).where("place", "is not", null).doNothing())
    .returningAll()
    .executeTakeFirst();
  if (made) return made;
  const other = await findTarget(query, tenant, given);
  if (!other) throw new Error("A document went while another one of its place was made.");
  return other;
}

async function removeUpload(query: Query, { tenant, upload }: UploadName): Promise<void> {
  await query.deleteFrom("toolwright.document_uploads").where("tenant", "=", tenant).where("upload", "=", upload).execute();
}

/** Takes a version; when many do at once, the later ones see that it is not due any more. */
export async function takeVersion(
  query: Query,
  ref: IngestRef,
  { holder, until, now }: Lease & { readonly now: number },
): Promise<(Omit<IngestJob, "bytes"> & { readonly upload: string }) | undefined> {
  const row = await updateVersion(query, ref)
    .where("due_at", "<=", new Date(now))
    .set({ holder, due_at: new Date(until), attempts: sql<number>`attempts + 1`, state: "reading" })
    .returningAll()
    .executeTakeFirst();
  const given = row && row.upload !== null ? await readGiven(query, { tenant: ref.tenant, upload: row.upload }) : undefined;
  if (!row || row.upload === null || !given) return undefined;
  // Of a run that died while it wrote.
  await removeChunks(query, ref, row.version);
  return { ...ref, record: toRecord(row), given, attempts: row.attempts - 1, upload: row.upload };
}

export async function renewLease(query: Query, ref: IngestRef, { holder, until }: Lease): Promise<boolean> {
  const { numUpdatedRows } = await updateVersion(query, ref)
    .where("holder", "=", holder)
    .set({ due_at: new Date(until) })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function releaseVersion(query: Query, ref: IngestRef, { holder, at }: { readonly holder: string; readonly at: number }) {
  const { numUpdatedRows } = await updateVersion(query, ref)
    .where("holder", "=", holder)
    .set({ holder: null, due_at: new Date(at), attempts: sql<number>`attempts - 1`, state: "queued" })
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function failVersion(query: Query, ref: IngestRef, { holder, error, again, at }: FailedVersion): Promise<boolean> {
  const words = JSON.stringify(error);
  const isOver = again === undefined;
  const held = await lockHeld(query, ref, holder);
  if (!held) return false;
  await updateVersion(query, ref)
    .set({
      ...{ error: words, updated_at: new Date(at), holder: null, due_at: isOver ? null : new Date(again) },
      ...(isOver ? { state: "failed", next_version: null, upload: null } : { state: "queued" }),
    })
    .execute();
  await removeChunks(query, ref, held.version);
  if (isOver && held.upload !== null) await removeUpload(query, { tenant: ref.tenant, upload: held.upload });
  return true;
}

/** Locks the document of a version that a run holds; undefined where it does not. */
export function lockHeld(query: Query, ref: IngestRef, holder: string) {
  return query
    .selectFrom("toolwright.documents")
    .selectAll()
    .where("tenant", "=", ref.tenant)
    .where("document", "=", storableText(ref.document))
    .where("next_version", "=", ref.version)
    .where("holder", "=", holder)
    .forUpdate()
    .executeTakeFirst();
}

interface WholeVersion {
  readonly row: DocumentRow;
  readonly title: string | undefined;
  readonly pages: number | undefined;
  readonly unread: string | undefined;
  readonly chunks: number;
  readonly characters: number;
  readonly at: number;
}

/** From here on the version answers, and the one before is gone. */
export async function showVersion(
  query: Query,
  ref: IngestRef,
  { row, title, pages, unread, chunks, characters, at }: WholeVersion,
): Promise<void> {
  const { tenant, document, version } = ref;
  const upload = row.upload ?? "";
  const given = await readGiven(query, { tenant, upload });
  await updateDocument(query, { tenant, document })
    .set({
      ...(given && valuesOf({ ...given, title: title ?? given.title })),
      ...{ version, state: "ready", chunks, characters, pages: pages ?? null, updated_at: new Date(at) },
      error: unread === undefined ? null : JSON.stringify(unread),
      ...{ next_version: null, upload: null, due_at: null, holder: null, attempts: 0 },
    })
    .execute();
  await removeChunks(query, ref, version);
  await removeUpload(query, { tenant, upload });
}

/** All but those of one version. */
async function removeChunks(query: Query, { tenant, document }: IngestRef, but: number): Promise<void> {
  await query
    .deleteFrom("toolwright.chunks")
    .where("tenant", "=", tenant)
    .where("document", "=", storableText(document))
    .where("version", "<>", but)
    .execute();
}

export async function removeDocument(query: Query, { tenant, id }: { readonly tenant: string; readonly id: string }) {
  const row = await query
    .deleteFrom("toolwright.documents")
    .where("tenant", "=", tenant)
    .where("document", "=", storableText(id))
    .returning(["chunks", "upload"])
    .executeTakeFirst();
  if (row && row.upload !== null) await removeUpload(query, { tenant, upload: row.upload });
  return row?.chunks;
}

function updateDocument(query: Query, { tenant, document }: Pick<IngestRef, "tenant" | "document">) {
  return query.updateTable("toolwright.documents").where("tenant", "=", tenant).where("document", "=", storableText(document));
}

function updateVersion(query: Query, ref: IngestRef) {
  return updateDocument(query, ref).where("next_version", "=", ref.version);
}
