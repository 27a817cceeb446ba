import { createHash } from "node:crypto";
import type { ArtifactRef } from "@toolwright/engine";
import { ToolwrightError } from "@toolwright/engine/errors";
import { type ArtifactStore, createRandomIds, type Ids } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { storableText } from "../database/storable-text.ts";
import { type ArtifactQuotas, defaultArtifactQuotas } from "./artifact-room.ts";
import { openArtifactWriter } from "./artifact-writer.ts";
import { chunkBytes } from "./chunk-bytes.ts";

/** Artifacts in PostgreSQL: the same bytes once a tenant, in chunks, never shared between tenants. */
export function createPostgresArtifactStore(
  database: Database,
  { ids = createRandomIds(), quotas = {} }: { readonly ids?: Ids; readonly quotas?: Partial<ArtifactQuotas> | undefined } = {},
): ArtifactStore {
  const all = { ...defaultArtifactQuotas, ...quotas };
  return {
    create: (owner, meta) => Promise.resolve(openArtifactWriter(database, { owner, meta, id: ids.next("art"), quotas: all })),
    read: (tenant, id, range = {}) =>
      database.asTenant(tenant, async (query) => {
        const { content, hash, ref, session } = await findArtifact(query, tenant, id);
        const offset = range.offset ?? 0;
        const end = Math.min(ref.size, offset + (range.length ?? ref.size));
        const bytes = await readChunks(query, { tenant, content, offset, end });
        if (offset === 0 && end === ref.size && createHash("sha256").update(bytes).digest("hex") !== hash) throw damagedBytes(id);
        return { ref, session, bytes };
      }),
    list: (tenant, session, call) =>
      database.asTenant(tenant, async (query) => {
        const rows = await selectArtifacts(query)
          .where("artifact.tenant", "=", tenant)
          .where("artifact.session", "=", session)
          .$if(call !== undefined, (some) => some.where("artifact.call_id", "=", call ?? ""))
          .orderBy("artifact.created_at", "desc")
          .orderBy("artifact.number", "desc")
          .execute();
        return rows.map(toRef);
      }),
  };
}

function selectArtifacts(query: Query) {
  return query
    .selectFrom("toolwright.artifacts as artifact")
    .innerJoin("toolwright.artifact_contents as content", (join) =>
      join.onRef("content.tenant", "=", "artifact.tenant").onRef("content.content", "=", "artifact.content"),
    )
    .select([
      "artifact.artifact",
      "artifact.name",
      "artifact.media_type",
      "artifact.content",
      "artifact.session",
      "content.size",
      "content.hash",
    ]);
}

const toRef = (row: { artifact: string; name: string; media_type: string; size: number }): ArtifactRef => ({
  id: row.artifact,
  name: row.name,
  mediaType: row.media_type,
  size: row.size,
});

async function findArtifact(query: Query, tenant: string, id: string) {
  const row = await selectArtifacts(query)
    .where("artifact.tenant", "=", tenant)
    .where("artifact.artifact", "=", storableText(id))
    .executeTakeFirst();
  if (!row) throw new ToolwrightError("artifact_not_found", `There is no artifact ${id} here.`);
  return { content: row.content, hash: row.hash, session: row.session, ref: toRef(row) };
}

interface Part {
  readonly tenant: string;
  readonly content: string;
  /** Bytes, from and to. */
  readonly offset: number;
  readonly end: number;
}

async function readChunks(query: Query, { tenant, content, offset, end }: Part): Promise<Uint8Array> {
  if (offset >= end) return new Uint8Array();
  const first = Math.floor(offset / chunkBytes);
  const rows = await query
    .selectFrom("toolwright.artifact_chunks")
    .select("bytes")
    .where("tenant", "=", tenant)
    .where("content", "=", content)
    .where("number", ">=", first)
    .where("number", "<=", Math.floor((end - 1) / chunkBytes))
    .orderBy("number")
    .execute();
  const begin = offset - first * chunkBytes;
  return Buffer.concat(rows.map(({ bytes }) => bytes)).subarray(begin, begin + end - offset);
}

function damagedBytes(id: string): ToolwrightError {
  return new ToolwrightError(
    "store_failed",
    `The bytes of artifact ${id} are not the ones that were stored: the database is damaged or was changed. Restore a backup with toolwright db restore.`,
  );
}
