import { type Clock, sha256 } from "@toolwright/engine/ports";
import { accessTokenPrefix } from "./auth-options.ts";
import { isStillAllowed, lastUse } from "./still-allowed.ts";
import type { SignInHandle } from "./tables.ts";

/** What a person allowed a client, as an access token carries it. */
export interface AccessToken {
  readonly client: string;
  readonly user: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** What it is for (RFC 8707). */
  readonly resources: readonly string[];
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** People see when a program last acted for them, to this. */
const notedEveryMs = 60_000;

/** Undefined for one that is unknown, expired or revoked, and when the client is switched off or the person does not allow it any more. */
export async function identifyAccessToken(
  { handle, clock }: { readonly handle: SignInHandle; readonly clock: Clock },
  token: string,
): Promise<AccessToken | undefined> {
  if (!token.startsWith(accessTokenPrefix)) return undefined;
  const row = await handle
    .selectFrom("toolwright.oauth_access_tokens as a")
    .innerJoin("toolwright.oauth_clients as c", "c.client_id", "a.client_id")
    .select(["a.client_id", "a.user_id", "a.reference_id", "a.scopes", "a.resources", "a.expires_at"])
    .select(lastUse.as("last_used_at"))
    .where("a.token", "=", sha256(token.slice(accessTokenPrefix.length)))
    .where("a.revoked", "is", null)
    .where("a.expires_at", ">", new Date(clock.now()))
    .where(isStillAllowed("a"))
    .where((where) => where.or([where("c.disabled", "is", null), where("c.disabled", "=", false)]))
    .executeTakeFirst();
  if (!row || row.user_id === null || row.reference_id === null) return undefined;
  const { client_id: client, user_id: user, reference_id: tenant, scopes, resources, expires_at } = row;
  const now = clock.now();
  if (row.last_used_at === null || now - row.last_used_at.getTime() >= notedEveryMs)
    await handle
      .updateTable("toolwright.oauth_consents")
      .set({ last_used_at: new Date(now) })
      .where((where) => where.and({ client_id: client, user_id: user, reference_id: tenant }))
      .execute();
  return { client, user, tenant, scopes, resources: resources ?? [], expiresAt: expires_at.getTime() };
}
