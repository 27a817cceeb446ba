import { visibleText } from "@toolwright/engine/ports";
import { minuteOf } from "@toolwright/engine/visible-text";
import { readPublicOrigin } from "@toolwright/server/http";
import { localUser } from "@toolwright/server/local";
import { count } from "@toolwright/server/text";
import { exitCodes } from "../../exit-code.ts";
import type { Io } from "../../io.ts";
import { renderTable } from "../../output/table.ts";
import type { CommonOptions } from "../../settings.ts";
import type { RemoteOptions } from "../context/operate-remotely.ts";
import { withAccounts } from "../context/with-accounts.ts";
import { withOperations } from "../context/with-operations.ts";
import type { TenantOptions } from "../context/with-store.ts";

type Options = TenantOptions & RemoteOptions;

export function invite(io: Io, options: Options & { readonly role: string }, [email = ""]: readonly string[]): Promise<number> {
  const linkTo = linksOf(io, options.server);
  return withOperations(io, options, async (operate) => {
    const { invitation, token } = await operate("users.invite", { email, role: options.role });
    const link = linkTo(`/auth/accept?token=${token}`);
    if (options.json) io.out(`${JSON.stringify({ ...invitation, link }, null, 2)}\n`);
    else io.out(`${link}\n`);
    io.err(`Send this link to ${visibleText(invitation.email)} and nobody else. It works once, until ${minuteOf(invitation.expiresAt)}.\n`);
    return exitCodes.done;
  });
}

/** Writes down a page of the server as people reach it. */
function linksOf({ env, err }: Pick<Io, "env" | "err">, server?: string): (path: string) => string {
  const origin = server === undefined ? readPublicOrigin(env) : server.replace(/(?<!\/)\/+$/, "");
  return (path) => {
    if (origin === undefined) err(`The link leads to ${defaultOrigin}. If the server is somewhere else, set TOOLWRIGHT_URL.\n`);
    return `${origin ?? defaultOrigin}${path}`;
  };
}

const defaultOrigin = "http://127.0.0.1:7777";

export function list(io: Io, options: Options): Promise<number> {
  return withOperations(io, options, async (operate) => {
    const { items: members } = await operate("users.list", {});
    const { items: invited } = await operate("users.invitations", {});
    const rows = [
      ...members.map(({ email, role, since, name }) => [email, role, `since ${minuteOf(since)}`, name]),
      ...invited.map(({ email, role, expiresAt }) => [email, role, `invited until ${minuteOf(expiresAt)}`, ""]),
    ];
    if (options.json) io.out(`${JSON.stringify({ members, invited }, null, 2)}\n`);
    else
      io.out(
        `${rows.length === 0 ? "Nobody yet: toolwright users invite <e-mail>" : renderTable(["e-mail", "role", "state", "name"], rows, io.columns)}\n`,
      );
    return exitCodes.done;
  });
}

/** For who forgot a password. The link goes to stdout, alone. */
export function resetPassword(io: Io, options: CommonOptions, [email = ""]: readonly string[]): Promise<number> {
  const linkTo = linksOf(io);
  return withAccounts(io, options, async (accounts) => {
    const { token, ...reset } = await accounts.askPasswordReset({ email, by: localUser() });
    const link = linkTo(`/auth/reset?token=${token}`);
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
