import { APIError, createAuthMiddleware } from "better-auth/api";
import type { Database } from "../../database/database.ts";
import { hashSecret } from "../secret-text.ts";
import { isStillAllowed } from "./still-allowed.ts";

export const refreshTokenPrefix = "twr_";

/** Asked before the library, which renews tokens whoever has left the tenant or taken the consent back. */
export function refuseRefresh(database: Database) {
  return createAuthMiddleware(async ({ path, body }) => {
    const token: unknown = path === "/oauth2/token" ? body?.refresh_token : undefined;
    if (typeof token === "string" && (await isOver(database, token)))
      throw new APIError("BAD_REQUEST", { error: "invalid_grant", error_description: "The access that this token is for has ended." });
  });
}

/** False for one that is unknown, too: that is the library's to say. */
async function isOver(database: Database, token: string): Promise<boolean> {
  const row = await database.asSystem((query) =>
    query
      .selectFrom("toolwright.oauth_refresh_tokens as r")
      .leftJoin("toolwright.memberships as m", (join) => join.onRef("m.tenant", "=", "r.reference_id").onRef("m.user_id", "=", "r.user_id"))
      .select(["m.user_id as member", isStillAllowed("r").as("allowed")])
      .where("r.token", "=", hashSecret(token.slice(refreshTokenPrefix.length)))
      .executeTakeFirst(),
  );
  return row !== undefined && (row.member === null || !row.allowed);
}
