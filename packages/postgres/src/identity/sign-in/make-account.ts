import type { Clock, Ids } from "@toolwright/engine/ports";
import type { Database } from "../../database/database.ts";
import type { Identity } from "../identity.ts";
import { type PasswordProblem, problemOf } from "./password-problem.ts";

export interface NewAccount {
  /** Of the invitation. */
  readonly token: string;
  readonly name: string;
  readonly password: string;
}

interface AccountParts {
  readonly database: Database;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly ids: Ids;
  hash(password: string): Promise<string>;
}

/**
 * Makes the account of who was asked in, and takes that one invitation. The address is not taken as proven: whoever asks somebody in has the
 * link too, so an invitation of another tenant needs its own link.
 */
export async function makeAccount(
  { database, identity, clock, ids, hash }: AccountParts,
  { token, name, password }: NewAccount,
): Promise<{ readonly email: string } | { readonly refused: PasswordProblem | "no_invitation" | "has_account" }> {
  const invitation = await identity.findInvitation(token);
  if (!invitation) return { refused: "no_invitation" };
  const refused = problemOf(password);
  if (refused) return { refused };
  const { email } = invitation;
  const hashed = await hash(password);
  const user = ids.next("usr");
  const isNew = await database.asSystem(async (query) => {
    const made = await query
      .insertInto("toolwright.users")
      .values({ id: user, name: name.trim() || email, email })
      .onConflict((conflict) => conflict.column("email").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (!made) return false;
    await query
      .insertInto("toolwright.auth_accounts")
      .values({
        id: ids.next("acc"),
        account_id: user,
        provider_id: "credential",
        user_id: user,
        password: hashed,
        updated_at: new Date(clock.now()),
      })
      .execute();
    return true;
  });
  if (!isNew) return { refused: "has_account" };
  await identity.acceptInvitations({ user, email }, token);
  return { email };
}
