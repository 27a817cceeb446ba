import { ToolwrightError } from "@toolwright/engine/errors";
import { type Clock, hashToken, newToken, type PasswordReset } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";
import { endAccess } from "./end-access.ts";
import { findAccount } from "./find-account.ts";

const day = 24 * 60 * 60 * 1000;

interface ResetParts {
  readonly database: Database;
  readonly clock: Clock;
}

/** For who forgot a password; an earlier link ends. Rejects with `identity_not_found`, or `identity_refused` for who has no password. */
export async function askPasswordReset(
  { database, clock }: ResetParts,
  { email, by }: { readonly email: string; readonly by: string },
): Promise<PasswordReset> {
  const token = newToken();
  const expiresAt = clock.now() + day;
  return database.asSystem(async (query) => {
    const account = await findAccount(query, email);
    if (!account.hasPassword)
      throw new ToolwrightError(
        "identity_refused",
        `${account.email} has no password: they sign in with another server, which can help them.`,
      );
    const row = { hash: hashToken(token), created_by: by, created_at: new Date(clock.now()), expires_at: new Date(expiresAt) };
    await query
      .insertInto("toolwright.password_resets")
      .values({ user_id: account.user, ...row })
      .onConflict((conflict) => conflict.column("user_id").doUpdateSet(row))
      .execute();
    return { email: account.email, token, expiresAt };
  });
}

/** The address of the person whom an open link is for. */
export async function findPasswordReset({ database, clock }: ResetParts, token: string): Promise<string | undefined> {
  const row = await database.asSystem((query) =>
    query
      .selectFrom("toolwright.password_resets as r")
      .innerJoin("toolwright.users as u", "u.id", "r.user_id")
      .select("u.email")
      .where("r.hash", "=", hashToken(token))
      .where("r.expires_at", ">", new Date(clock.now()))
      .executeTakeFirst(),
  );
  return row?.email;
}

/** Uses the link up, and ends whatever was open with the old password. False when somebody was faster, or it is too old. */
export function takePasswordReset(
  { database, clock }: ResetParts,
  { token, hashed }: { readonly token: string; readonly hashed: string },
): Promise<boolean> {
  return database.asSystem(async (query) => {
    const taken = await query
      .deleteFrom("toolwright.password_resets")
      .where("hash", "=", hashToken(token))
      .where("expires_at", ">", new Date(clock.now()))
      .returning("user_id")
      .executeTakeFirst();
    if (!taken) return false;
    await query
      .updateTable("toolwright.auth_accounts")
      .set({ password: hashed, updated_at: new Date(clock.now()) })
      .where("user_id", "=", taken.user_id)
      .where("provider_id", "=", "credential")
      .execute();
    await endAccess(query, taken.user_id);
    return true;
  });
}
