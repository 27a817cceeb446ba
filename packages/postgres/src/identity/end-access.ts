import type { EndedAccess } from "@toolwright/engine/ports";
import { type SqlBool, sql } from "kysely";
import type { Query } from "../database/database.ts";

/** What a person gave to programs: to one or all of them, in one tenant or all. */
interface Given {
  readonly user: string;
  readonly client?: string;
  readonly tenant?: string;
}

/** Signs a person out everywhere, and takes back what they gave to programs. Keys are the tenant's, and stay. */
export async function endAccess(query: Query, user: string): Promise<EndedAccess> {
  const { numDeletedRows: sessions } = await query.deleteFrom("toolwright.auth_sessions").where("user_id", "=", user).executeTakeFirst();
  const clients = await withdrawAccess(query, { user });
  await query.deleteFrom("toolwright.password_resets").where("user_id", "=", user).execute();
  return { sessions: Number(sessions), clients };
}

/** Takes back what a person gave; tokens end at once, and codes that nobody used are good for none. Returns of how many programs. */
export async function withdrawAccess(query: Query, given: Given): Promise<number> {
  const { user, client, tenant } = given;
  const theirs = {
    user_id: user,
    ...(client !== undefined && { client_id: client }),
    ...(tenant !== undefined && { reference_id: tenant }),
  };
  const consents = await query
    .deleteFrom("toolwright.oauth_consents")
    .where((where) => where.and(theirs))
    .returning("client_id")
    .execute();
  for (const table of ["toolwright.oauth_access_tokens", "toolwright.oauth_refresh_tokens"] as const)
    await query
      .deleteFrom(table)
      .where((where) => where.and(theirs))
      .execute();
  await query.deleteFrom("toolwright.auth_verifications").where(isCodeOf(given)).execute();
  const clients = new Set(consents.map(({ client_id }) => client_id));
  if (clients.size > 0) await noteWithdrawal(query, [...clients]);
  return clients.size;
}

/** From now on the retention counts how long a program that acts for nobody is kept. With a document this is when that was read. */
async function noteWithdrawal(query: Query, clients: readonly string[]): Promise<void> {
  await query
    .updateTable("toolwright.oauth_clients")
    .set({ updated_at: sql`now()` })
    .where("client_id", "in", clients)
    .where("client_discovery_id", "is", null)
    .execute();
}

/**
 * Codes are kept by the library as JSON with whom they are for, beside other things that are valid for minutes. They are looked through as texts:
 * what a program put into its question may be no JSON to PostgreSQL, which must not keep a person from taking back.
 */
function isCodeOf({ user, client, tenant }: Given) {
  const members = Object.entries({ type: "authorization_code", userId: user, client_id: client, referenceId: tenant });
  const texts = members.flatMap(([name, value]) => (value === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`]));
  return sql<SqlBool>`${sql.join(
    texts.map((text) => sql`strpos(value, ${text}) > 0`),
    sql` and `,
  )}`;
}
