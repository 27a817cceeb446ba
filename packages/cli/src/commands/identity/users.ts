import { visibleText } from "@toolwright/engine/ports";
import { minuteOf } from "@toolwright/engine/visible-text";
import { localUser } from "@toolwright/server/local";
import { count } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { linksOf } from "../../output/links-of.ts";
import { renderTable } from "../../output/table.ts";
import type { CommonOptions } from "../../settings.ts";
import { withAccounts } from "../context/with-accounts.ts";

/** For who forgot a password. The link goes to stdout, alone. */
export function resetPassword(io: Io, options: CommonOptions, [email = ""]: readonly string[]): Promise<number> {
  const links = linksOf(io);
  return withAccounts(io, options, async (accounts) => {
    const { token, ...reset } = await accounts.askPasswordReset({ email, by: localUser() });
    const link = `${links.origin}/auth/reset?token=${token}`;
    links.tellGuess();
    io.out(`${options.json ? JSON.stringify({ ...reset, link }, null, 2) : link}\n`);
    io.err(
      `Hand this link to ${visibleText(reset.email)} and nobody else: the link lets anyone who opens it set the password. It works once, until ${minuteOf(reset.expiresAt)}, and ends an earlier one. With the new password every session and every program's access of theirs ends.\n`,
    );
    return exitCodes.done;
  });
}

/** Where somebody is signed in, and which programs act for them. */
export function sessions(io: Io, options: CommonOptions, [email = ""]: readonly string[]): Promise<number> {
  return withAccounts(io, options, async (accounts) => {
    const [open, clients] = [await accounts.listSessions(email), await accounts.listClients(email)];
    const rows = [
      ...open.map(({ since, expiresAt, address, agent }) => [
        "browser",
        minuteOf(since),
        `until ${minuteOf(expiresAt)}`,
        address ?? "",
        agent ?? "",
      ]),
      ...clients.map(({ since, tenant, name, scopes }) => ["program", minuteOf(since), `in ${tenant}`, scopes.join(" "), name]),
    ];
    if (options.json) io.out(`${JSON.stringify({ sessions: open, programs: clients }, null, 2)}\n`);
    else
      io.out(`${rows.length === 0 ? "Nowhere signed in." : renderTable(["kind", "since", "state", "from", "name"], rows, io.columns)}\n`);
    return exitCodes.done;
  });
}

export function signOut(io: Io, options: CommonOptions, [email = ""]: readonly string[]): Promise<number> {
  return withAccounts(io, options, async (accounts) => {
    const ended = await accounts.signOut(email);
    if (options.json) io.out(`${JSON.stringify(ended, null, 2)}\n`);
    io.err(
      `${visibleText(email)} is signed out: ${count(ended.sessions, "session")} ended, and ${count(ended.clients, "program has", "programs have")} to ask again. Keys stay: toolwright keys list.\n`,
    );
    return exitCodes.done;
  });
}
