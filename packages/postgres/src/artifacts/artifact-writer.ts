import { createHash, randomUUID } from "node:crypto";
import type { ArtifactRef } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import type { ArtifactOwner, ArtifactWriter } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { type ArtifactQuotas, type ArtifactRoom, findRoom, noRoomLeft } from "./artifact-room.ts";
import { chunkBytes } from "./chunk-bytes.ts";

interface NewArtifact {
  readonly owner: ArtifactOwner;
  readonly meta: { readonly name: string; readonly mediaType: string };
  readonly id: string;
  readonly quotas: ArtifactQuotas;
}

/** Bytes of one transaction at most: the embedded database does nothing else meanwhile. */
const flushedBytes = 4 * chunkBytes;

/** Writes chunk by chunk; the artifact is there when it is finished, and its bytes are those of another artifact of the tenant where they are the same. */
export function openArtifactWriter(database: Database, artifact: NewArtifact): ArtifactWriter {
  const { tenant } = artifact.owner;
  const content = randomUUID();
  const hash = createHash("sha256");
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let size = 0;
  let chunks = 0;
  let failure: unknown;
  const within = <Result>(work: (query: Query) => Promise<Result>) =>
    database.asTenant(tenant, work).catch((error: unknown) => {
      failure = toWriteFailure(error);
      throw failure;
    });
  let room: ArtifactRoom | undefined;
  const insertChunks = async (query: Query, added: readonly Buffer[]) => {
    // Others may write at the same time: together they may pass a quota by what each of them holds.
    room ??= await findRoom(query, artifact.owner, artifact.quotas);
    if (size > room.left) throw noRoomLeft(room);
    if (chunks === 0) await query.insertInto("toolwright.artifact_contents").values({ tenant, content, hash: null }).execute();
    await touchContent(query, { tenant, content, size });
    const rows = added.map((bytes, index) => ({ tenant, content, number: chunks + index, bytes }));
    await query.insertInto("toolwright.artifact_chunks").values(rows).execute();
  };
  const flush = async (added: readonly Buffer[]) => {
    await within((query) => insertChunks(query, added));
    chunks += added.length;
  };
  return {
    async write(chunk) {
      if (failure) throw failure;
      hash.update(chunk);
      size += chunk.length;
      waiting.push(Buffer.from(chunk));
      waitingBytes += chunk.length;
      if (waitingBytes < chunkBytes) return;
      const bytes = Buffer.concat(waiting);
      const whole = bytes.length - (bytes.length % chunkBytes);
      waiting = [bytes.subarray(whole)];
      waitingBytes = bytes.length - whole;
      for (let start = 0; start < whole; start += flushedBytes)
        await flush(cutChunks(bytes.subarray(start, Math.min(whole, start + flushedBytes))));
    },
    async finish() {
      if (failure) throw failure;
      return within(async (query) => {
        if (waitingBytes > 0 || chunks === 0) await insertChunks(query, [Buffer.concat(waiting)]);
        return finishArtifact(query, artifact, { content, hash: hash.digest("hex"), size });
      });
    },
    async discard() {
      waiting = [];
      if (chunks > 0) await database.asTenant(tenant, (query) => removeContent(query, tenant, content));
    },
  };
}

interface Written {
  readonly content: string;
  readonly hash: string;
  readonly size: number;
}

async function finishArtifact(query: Query, { owner, meta, id }: NewArtifact, { content, hash, size }: Written): Promise<ArtifactRef> {
  const { tenant } = owner;
  const kept = (await claimHash(query, tenant, { content, hash, size })) ?? content;
  if (kept !== content) await removeContent(query, tenant, content);
  const [session, call_id, name, media_type] = [owner.session, owner.callId, meta.name, meta.mediaType].map(storableText) as [
    string,
    string,
    string,
    string,
  ];
  await query
    .insertInto("toolwright.artifacts")
    .values({ tenant, artifact: id, session, call_id, name, media_type, content: kept })
    .execute();
  return { id, name: meta.name, mediaType: meta.mediaType, size };
}

/** The content that has these bytes already, if any; else this one is it. Two that finish the same bytes at once do so one after the other. */
async function claimHash(query: Query, tenant: string, { content, hash, size }: Written): Promise<string | undefined> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`artifact ${tenant} ${hash}`}, 0))`.execute(query);
  const same = await query
    .selectFrom("toolwright.artifact_contents")
    .select("content")
    .where("tenant", "=", tenant)
    .where("hash", "=", hash)
    .forKeyShare()
    .executeTakeFirst();
  if (same) return same.content;
  await query
    .updateTable("toolwright.artifact_contents")
    .set({ hash, size })
    .where("tenant", "=", tenant)
    .where("content", "=", content)
    .execute();
  return undefined;
}

/** One that is written is not swept, and counts. */
async function touchContent(query: Query, { tenant, content, size }: { tenant: string; content: string; size: number }): Promise<void> {
  await query
    .updateTable("toolwright.artifact_contents")
    .set({ written_at: sql<Date>`clock_timestamp()`, size })
    .where("tenant", "=", tenant)
    .where("content", "=", content)
    .execute();
}

function cutChunks(bytes: Buffer): Buffer[] {
  return Array.from({ length: bytes.length / chunkBytes }, (_, index) => bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes));
}

async function removeContent(query: Query, tenant: string, content: string): Promise<void> {
  await query.deleteFrom("toolwright.artifact_contents").where("tenant", "=", tenant).where("content", "=", content).execute();
}

function toWriteFailure(error: unknown): unknown {
  const isFull = ToolwrightError.is(error) && (error.details as { sqlState?: string } | undefined)?.sqlState === "53100";
  return isFull
    ? new ToolwrightError("disk_full", "The disk of the database is full, so the artifact was not kept.", { cause: error })
    : error;
}
