import { ToolwrightError } from "@toolwright/engine/errors";
import type { Query } from "../database/database.ts";

export interface Account {
  readonly user: string;
  readonly email: string;
  readonly hasPassword: boolean;
}

/** Finds an account; accounts belong to no tenant. Rejects with `identity_not_found`. */
export async function findAccount(query: Query, email: string): Promise<Account> {
  const row = await query
    .selectFrom("toolwright.users as u")
    .leftJoin("toolwright.auth_accounts as a", (join) => join.onRef("a.user_id", "=", "u.id").on("a.provider_id", "=", "credential"))
    .select(["u.id", "u.email", "a.password"])
    .where("u.email", "=", email.trim().toLowerCase())
    .executeTakeFirst();
  if (!row)
    throw new ToolwrightError(
      "identity_not_found",
      `There is no account with the address ${email}. toolwright users list shows who there is.`,
    );
  return { user: row.id, email: row.email, hasPassword: row.password !== null };
}
