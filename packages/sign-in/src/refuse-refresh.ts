import { sha256 } from "@toolwright/engine/ports";
import { APIError, createAuthMiddleware } from "better-auth/api";
import { isStillAllowed } from "./still-allowed.ts";
import type { SignInHandle } from "./tables.ts";

export const refreshTokenPrefix = "twr_";

/** Asked before the library, which renews tokens whoever has left the tenant or taken the consent back. */
export function refuseRefresh(handle: SignInHandle) {
  return createAuthMiddleware(async ({ path, body }) => {
    const token: unknown = path === "/oauth2/token" ? body?.refresh_token : undefined;
    if (typeof token === "string" && (await isOver(handle, token)))
      throw new APIError("BAD_REQUEST", { error: "invalid_grant", error_description: "The access that this token is for has ended." });
  });
}

/** False for one that is unknown, too: that is the library's to say. */
async function isOver(handle: SignInHandle, token: string): Promise<boolean> {
  const row = await handle
    .selectFrom("toolwright.oauth_refresh_tokens as r")
    .leftJoin("toolwright.memberships as m", (join) => join.onRef("m.tenant", "=", "r.reference_id").onRef("m.user_id", "=", "r.user_id"))
    .select(["m.user_id as member", isStillAllowed("r").as("allowed")])
    .where("r.token", "=", sha256(token.slice(refreshTokenPrefix.length)))
    .executeTakeFirst();
  return row !== undefined && (row.member === null || !row.allowed);
}
