import { localUser } from "../caller.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { renderTable } from "../output/table.ts";
import { minuteOf, type TenantOptions, withIdentity } from "./with-identity.ts";

export function invite(io: Io, options: TenantOptions & { readonly role: string }, [email = ""]: readonly string[]): Promise<number> {
  return withIdentity(io, options, async (identity, tenant) => {
    const { invitation, token } = await identity.inviteMember(tenant, { email, role: options.role, by: localUser() });
    const link = `${io.env.TOOLWRIGHT_URL || "http://127.0.0.1:7777"}/auth/accept?token=${token}`;
    if (options.json) io.out(`${JSON.stringify({ ...invitation, link }, null, 2)}\n`);
    else io.out(`${link}\n`);
    io.err(`Send this link to ${invitation.email} and nobody else. It works once, until ${minuteOf(invitation.expiresAt)}.\n`);
    return exitCodes.done;
  });
}

export function list(io: Io, options: TenantOptions): Promise<number> {
  return withIdentity(io, options, async (identity, tenant) => {
    const [members, invited] = [await identity.listMembers(tenant), await identity.listInvitations(tenant)];
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

export function remove(io: Io, options: TenantOptions, [who = ""]: readonly string[]): Promise<number> {
  return withIdentity(io, options, async (identity, tenant) => {
    await identity.removeMember(tenant, who);
    io.err(`${who} does not belong to ${tenant} any more; keys of theirs are gone.\n`);
    return exitCodes.done;
  });
}

export function setRole(io: Io, options: TenantOptions, [who = "", role = ""]: readonly string[]): Promise<number> {
  return withIdentity(io, options, async (identity, tenant) => {
    await identity.setMemberRole(tenant, { who, role });
    io.err(`${who} is ${role} of ${tenant} from now on.\n`);
    return exitCodes.done;
  });
}
