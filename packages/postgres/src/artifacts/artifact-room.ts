import { ToolwrightError } from "@toolwright/engine/errors";
import { type ArtifactOwner, usualPersonLimits, whereLimitsAre } from "@toolwright/engine/ports";
import { type RawBuilder, sql } from "kysely";
import type { Query } from "../database/database.ts";

/** Bytes that artifacts may have together. */
export interface ArtifactQuotas {
  readonly sessionBytes: number;
  /** In the sessions of one person. */
  readonly personBytes: number;
  readonly tenantBytes: number;
}

const gibibyte = 1024 * 1024 * 1024;
export const defaultArtifactQuotas: ArtifactQuotas = {
  sessionBytes: gibibyte,
  personBytes: usualPersonLimits.artifactBytes,
  tenantBytes: 10 * gibibyte,
};

export interface ArtifactRoom {
  /** Bytes that an artifact may still have, by the quota that is nearest. */
  readonly left: number;
  readonly quota: "session" | "person" | "tenant";
  readonly limit: number;
}

/** Bytes of a tenant's contents that artifacts of some sessions hold. Those that several artifacts share count once. */
const bytesHeld = (sessions: RawBuilder<unknown>) => sql`coalesce(sum(size) filter (where exists (
    select from toolwright.artifacts held
    where held.tenant = content.tenant and held.content = content.content and held.session ${sessions})), 0)::bigint`;

/** What was removed or expired gives its room back at once. Bytes that are being written count, too. */
export async function findRoom(query: Query, { tenant, session }: ArtifactOwner, quotas: ArtifactQuotas): Promise<ArtifactRoom> {
  const { rows } = await sql<{ tenantUsed: number; personUsed: number; sessionUsed: number }>`
    select coalesce(sum(size) filter (where hash is null or exists (
        select from toolwright.artifacts held where held.tenant = content.tenant and held.content = content.content)), 0)::bigint as "tenantUsed",
      ${bytesHeld(sql`in (select other.session from toolwright.sessions own join toolwright.sessions other using (tenant, owner)
        where own.tenant = ${tenant} and own.session = ${session})`)} as "personUsed",
      ${bytesHeld(sql`= ${session}`)} as "sessionUsed"
    from toolwright.artifact_contents content where tenant = ${tenant}`.execute(query);
  const { tenantUsed = 0, personUsed = 0, sessionUsed = 0 } = rows[0] ?? {};
  const rooms: readonly ArtifactRoom[] = [
    { left: quotas.sessionBytes - Number(sessionUsed), quota: "session", limit: quotas.sessionBytes },
    { left: quotas.personBytes - Number(personUsed), quota: "person", limit: quotas.personBytes },
    { left: quotas.tenantBytes - Number(tenantUsed), quota: "tenant", limit: quotas.tenantBytes },
  ];
  return rooms.reduce((nearest, room) => (room.left < nearest.left ? room : nearest));
}

/** Bytes of the artifacts in all sessions of an owner. */
export async function sumPersonBytes(query: Query, tenant: string, owner: string): Promise<number> {
  const { rows } = await sql<{ used: number }>`
    select ${bytesHeld(sql`in (select session from toolwright.sessions where tenant = ${tenant} and owner = ${owner})`)} as used
    from toolwright.artifact_contents content where tenant = ${tenant}`.execute(query);
  return Number(rows[0]?.used ?? 0);
}

export function noRoomLeft({ quota, limit }: ArtifactRoom): ToolwrightError {
  const message = `The artifacts of this ${quota} may have ${limit} bytes together, and this one does not fit, so it was not kept. ${
    quota === "session" ? "Go on in another session" : "Keep artifacts for a shorter time"
  }, or raise the quota.${quota === "person" ? ` ${whereLimitsAre}` : ""}`;
  return new ToolwrightError("artifact_quota", message, { details: { quota, limit } });
}
