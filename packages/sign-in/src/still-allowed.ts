import { type SqlBool, sql } from "kysely";

/**
 * True when the person still allows what a token is good for. A token that is older than the consent comes of another one, which was taken back;
 * a minute is let pass, as servers' clocks differ and the library counts in seconds.
 */
export function isStillAllowed(tokens: "a" | "r") {
  const of = (column: string) => sql.ref(`${tokens}.${column}`);
  return sql<SqlBool>`exists (select from toolwright.oauth_consents as o
    where o.client_id = ${of("client_id")} and o.user_id = ${of("user_id")} and o.reference_id = ${of("reference_id")}
      and o.scopes @> ${of("scopes")} and o.created_at <= ${of("created_at")} + interval '1 minute')`;
}

/** When a program last did something by what the person allows it. */
export const lastUse = sql<Date | null>`(select max(o.last_used_at) from toolwright.oauth_consents as o
  where o.client_id = a.client_id and o.user_id = a.user_id and o.reference_id = a.reference_id)`;
