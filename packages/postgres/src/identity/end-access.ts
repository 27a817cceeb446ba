import type { Query } from "../database/database.ts";

export interface EndedAccess {
  readonly sessions: number;
  /** Programs that acted for the person. */
  readonly clients: number;
}

/** Signs a person out everywhere, and takes back what they gave to programs. Keys are the tenant's, and stay. */
export async function endAccess(query: Query, user: string): Promise<EndedAccess> {
  const { numDeletedRows: sessions } = await query.deleteFrom("toolwright.auth_sessions").where("user_id", "=", user).executeTakeFirst();
  const consents = await query.deleteFrom("toolwright.oauth_consents").where("user_id", "=", user).returning("client_id").execute();
  await query.deleteFrom("toolwright.oauth_access_tokens").where("user_id", "=", user).execute();
  await query.deleteFrom("toolwright.oauth_refresh_tokens").where("user_id", "=", user).execute();
  await query.deleteFrom("toolwright.password_resets").where("user_id", "=", user).execute();
  return { sessions: Number(sessions), clients: new Set(consents.map(({ client_id }) => client_id)).size };
}

/** Takes back what a person gave to one program in one tenant; its tokens end at once. False when they gave nothing. */
export async function withdrawAccess(
  query: Query,
  { user, client, tenant }: { readonly user: string; readonly client: string; readonly tenant: string },
): Promise<boolean> {
  const gone = await query
    .deleteFrom("toolwright.oauth_consents")
    .where("user_id", "=", user)
    .where("client_id", "=", client)
    .where("reference_id", "=", tenant)
    .returning("client_id")
    .execute();
  for (const table of ["toolwright.oauth_access_tokens", "toolwright.oauth_refresh_tokens"] as const)
    await query.deleteFrom(table).where("user_id", "=", user).where("client_id", "=", client).where("reference_id", "=", tenant).execute();
  return gone.length > 0;
}
