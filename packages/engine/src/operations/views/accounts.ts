import { minuteOf } from "../../contract/minute-of.ts";
import { count } from "../../contract/visible-text.ts";
import type { AccountSession, ConnectedClient, EndedAccess, PasswordReset } from "../../ports/account-admin.ts";
import type { Rendering, ViewContext } from "../shell.ts";

interface SignedIn {
  readonly sessions: readonly (Pick<AccountSession, "since" | "expiresAt"> & Partial<Pick<AccountSession, "address" | "agent">>)[];
  readonly programs: readonly Pick<ConnectedClient, "since" | "tenant" | "scopes" | "name">[];
}

export const accountSessionsView: Rendering<SignedIn> = {
  show({ sessions, programs }) {
    const rows = [
      ...sessions.map(({ since, expiresAt, address = "", agent = "" }) => [
        "browser",
        minuteOf(since),
        `until ${minuteOf(expiresAt)}`,
        address,
        agent,
      ]),
      ...programs.map(({ since, tenant, scopes, name }) => ["program", minuteOf(since), `in ${tenant}`, scopes.join(" "), name]),
    ];
    return rows.length === 0 ? ["Nowhere signed in."] : [{ head: ["kind", "since", "state", "from", "name"], rows }];
  },
};

const linkOf = ({ token }: PasswordReset, { origin }: ViewContext) => `${origin}/auth/reset?token=${token}`;

/** The link goes to stdout, alone. */
export const passwordResetView: Rendering<PasswordReset> = {
  show: (made, context) => [
    linkOf(made, context),
    {
      note: `Hand this link to ${made.email} and nobody else: the link lets anyone who opens it set the password. It works once, until ${minuteOf(made.expiresAt)}, and ends an earlier one. With the new password every session and every program's access of theirs ends.`,
      always: true,
    },
  ],
  json: ({ token, ...made }, context) => ({ ...made, link: linkOf({ token, ...made }, context) }),
};

export const signedOutView: Rendering<EndedAccess> = {
  show: ({ sessions, clients }, { input: { email } }) => [
    {
      note: `${email} is signed out: ${count(sessions, "session")} ended, and ${count(clients, "program has", "programs have")} to ask again. Keys stay: toolwright keys list.`,
      always: true,
    },
  ],
};
