import type { Clock, Ids } from "@toolwright/engine/ports";
import type { MemberDirectory } from "./directories.ts";
import { type PasswordProblem, problemOf } from "./password-problem.ts";
import type { SignInHandle } from "./tables.ts";

export interface NewAccount {
  /** Token of the invitation. */
  readonly token: string;
  readonly name: string;
  readonly password: string;
}

interface AccountParts {
  readonly handle: SignInHandle;
  readonly identity: MemberDirectory;
  readonly clock: Clock;
  readonly ids: Ids;
  hash(password: string): Promise<string>;
}

/**
 * Makes the account of who was asked in, and takes that one invitation. The address is not taken as proven: whoever asks somebody in has the
 * link too, so an invitation of another tenant needs its own link.
 */
export async function makeAccount(
  { handle, identity, clock, ids, hash }: AccountParts,
  { token, name, password }: NewAccount,
): Promise<{ readonly email: string } | { readonly refused: PasswordProblem | "no_invitation" | "has_account" }> {
  const invitation = await identity.findInvitation(token);
  if (!invitation) return { refused: "no_invitation" };
  const refused = problemOf(password);
  if (refused) return { refused };
  const { email } = invitation;
  const hashed = await hash(password);
  const user = ids.next("usr");
  // One statement: an account without a password would keep its address from everybody.
  const made = await handle
    .with("made", (query) =>
      query
        .insertInto("toolwright.users")
        .values({ id: user, name: name.trim() || email, email })
        .onConflict((conflict) => conflict.column("email").doNothing())
        .returning("id"),
    )
    .insertInto("toolwright.auth_accounts")
    .columns(["id", "account_id", "provider_id", "user_id", "password", "updated_at"])
    .expression((query) =>
      query
        .selectFrom("made")
        .select(({ val }) => [
          val(ids.next("acc")).as("id"),
          "made.id as account_id",
          val("credential").as("provider_id"),
          "made.id as user_id",
          val(hashed).as("password"),
          val(new Date(clock.now())).as("updated_at"),
        ]),
    )
    .returning("id")
    .executeTakeFirst();
  if (!made) return { refused: "has_account" };
  await identity.acceptInvitations({ user, email }, token);
  return { email };
}
