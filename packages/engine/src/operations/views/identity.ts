import { minuteOf } from "../../contract/minute-of.ts";
import type { Principal } from "../../contract/principal.ts";
import type { Rendering, ViewContext } from "../shell.ts";

interface ListedTenant {
  readonly tenant: string;
  readonly name: string;
  readonly createdAt: number;
  readonly suspendedAt?: number | undefined;
}

export const tenantsView: Rendering<{ readonly items: readonly ListedTenant[] }> = {
  show: ({ items }) => [
    {
      head: ["tenant", "state", "made", "name"],
      rows: items.map(({ tenant, suspendedAt, createdAt, name }) => [
        tenant,
        suspendedAt === undefined ? "active" : `suspended ${minuteOf(suspendedAt)}`,
        minuteOf(createdAt),
        name,
      ]),
    },
  ],
};

interface Role {
  readonly role: string;
  readonly permissions: readonly string[];
}

export const rolesView: Rendering<{ readonly items: readonly (Role & { readonly builtIn: boolean })[] }> = {
  show: ({ items }) => [
    {
      head: ["role", "kind", "permissions"],
      rows: items.map(({ role, builtIn, permissions }) => [role, builtIn ? "built in" : "own", permissions.join(" ")]),
    },
  ],
};

export const roleSetView: Rendering<Role> = {
  show: ({ role, permissions }, { where }) => [
    ...(permissions.length === 0
      ? [{ note: "It may use only tools that ask for no permission. To let it read, add: --permission '*.*.read'" }]
      : []),
    { note: `The role ${role} counts from now on. To give it: toolwright users set-role WHO ${role}${where}` },
  ],
};

interface ListedKey {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly agent?: string | undefined;
  readonly user?: string | undefined;
  readonly expiresAt: number;
  readonly lastUsedAt?: number | undefined;
  readonly revokedAt?: number | undefined;
}

export const keysView: Rendering<{ readonly items: readonly ListedKey[] }> = {
  show: ({ items }) =>
    items.length === 0 ? ["No keys."] : [{ head: ["id", "name", "state", "last used", "may"], rows: items.map(toKeyRow) }],
};

const toKeyRow = ({ id, name, revokedAt, expiresAt, lastUsedAt, agent, user, permissions }: ListedKey) => [
  id,
  name,
  revokedAt === undefined ? `until ${minuteOf(expiresAt)}` : `revoked ${minuteOf(revokedAt)}`,
  lastUsedAt === undefined ? "never" : minuteOf(lastUsedAt),
  [...(user === undefined ? [] : [`as ${user}`]), ...(agent === undefined ? [] : [`for ${agent}`]), ...permissions].join(" "),
];

interface MadeKey {
  readonly key: string;
  readonly record: ListedKey;
}

/** The key goes to stdout, alone, so that a script can keep it where it belongs. */
export const keyMadeView: Rendering<MadeKey> = {
  show: ({ key, record: { id, permissions, expiresAt } }, { where }) => [
    key,
    ...(permissions.length === 0
      ? [{ note: "It may use only tools that ask for no permission. To let it read, make one with: --permission '*.*.read'" }]
      : []),
    {
      note: `This is the only time that the key is shown. It works until ${minuteOf(expiresAt)}; toolwright keys revoke ${id}${where} ends it.`,
    },
  ],
  json: ({ key, record }) => ({ key, ...record }),
};

interface Invited {
  readonly email: string;
  readonly role: string;
  readonly expiresAt: number;
}

interface Users {
  readonly items: readonly { readonly name: string; readonly email: string; readonly role: string; readonly since: number }[];
  readonly invited: readonly Invited[];
}

export const usersView: Rendering<Users> = {
  show({ items, invited }, { where }) {
    if (items.length + invited.length === 0) return [`Nobody yet: toolwright users invite <e-mail>${where}`];
    const rows = [
      ...items.map(({ email, role, since, name }) => [email, role, `since ${minuteOf(since)}`, name]),
      ...invited.map(({ email, role, expiresAt }) => [email, role, `invited until ${minuteOf(expiresAt)}`, ""]),
    ];
    return [{ head: ["e-mail", "role", "state", "name"], rows }];
  },
  json: ({ items, invited }) => ({ members: items, invited }),
};

interface NewInvitation {
  readonly invitation: Invited;
  readonly token: string;
}

const linkOf = ({ token }: NewInvitation, { origin }: ViewContext) => `${origin}/auth/accept?token=${token}`;

export const userInvitedView: Rendering<NewInvitation> = {
  show: (made, context) => [
    linkOf(made, context),
    {
      note: `Send this link to ${made.invitation.email} and nobody else. It works once, until ${minuteOf(made.invitation.expiresAt)}.`,
      always: true,
    },
  ],
  json: (made, context) => ({ ...made.invitation, link: linkOf(made, context) }),
};

interface ChangedUser {
  readonly who: string;
  readonly role: string;
  readonly member?: object | undefined;
}

export const userSetView: Rendering<ChangedUser> = {
  show: ({ who, role }) => [{ note: `${who} is ${role} of the tenant from now on.` }],
  json: ({ member = null }) => member,
};

export const userRemovedView: Rendering<{ readonly removed: "member" | "invitation" }> = {
  show: ({ removed }, { input: { who } }) => [
    {
      note:
        removed === "member"
          ? `${who} does not belong to the tenant any more; keys of theirs are gone.`
          : `The invitation of ${who} to the tenant is taken back: its link opens nothing any more.`,
    },
  ],
  json: ({ removed }, { input: { who } }) => ({ removed: who, was: removed }),
};

/** Which key is in force, and what it may: on another server nobody else would say. */
export const whoamiView: Rendering<Pick<Principal, "tenant" | "actor" | "agent" | "permissions">> = {
  show: ({ tenant, actor, agent, permissions }) => [
    `${actor.kind} ${actor.id} of ${tenant}${agent === undefined ? "" : `, as the agent ${agent}`}`,
    `may: ${permissions.length === 0 ? "nothing that needs a permission" : permissions.join(" ")}`,
  ],
};
