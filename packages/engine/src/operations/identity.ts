import { z } from "zod";
import { misfitAt } from "../contract/misfit-at.ts";
import { MANAGE_IDENTITY, MANAGE_TENANTS } from "../contract/permissions.ts";
import type { Principal } from "../contract/principal.ts";
import { cataloguePort } from "../ports/catalogue-store.ts";
import { identityPort } from "../ports/identity-admin.ts";
import { builtinRoles, checkPermissions, expandPermissions } from "../ports/roles.ts";
import { defineOperation, type OperationContext } from "./define-operation.ts";
import { defineSubject } from "./define-subject.ts";
import { listOf, time } from "./json-parts.ts";
import { requireAgent } from "./require-agent.ts";
import {
  keyMadeView,
  keysView,
  roleSetView,
  rolesView,
  userInvitedView,
  userRemovedView,
  userSetView,
  usersView,
} from "./views/identity.ts";

const managed = { permission: MANAGE_IDENTITY, onlyPeople: true, needs: [identityPort] } as const;
const needs = "Needs a person with the permission identity:manage.";
const ownOnly = "Nobody gives what they do not have.";

const member = z.object({
  user: z.string(),
  name: z.string(),
  email: z.string(),
  role: z.string(),
  since: time("When the person came"),
});

const invitation = z.object({
  id: z.string(),
  tenant: z.string(),
  email: z.string(),
  role: z.string(),
  expiresAt: time("Until when it is open"),
});

const who = z.string().min(1).describe("Id or e-mail address");
const role = z.string().describe("owner, admin, member, viewer, or a role of the tenant");
const permissions = z.array(z.string()).default([]).describe("Each area.scope.verb, with * for any one part, or one of the engine's own");

const permissionOption = {
  flags: "--permission <name...>",
  about: "what it may, as in entities.tenant.read; * stands for any one part (default: only what needs no permission)",
};
const store = { store: true } as const;

const listUsers = defineOperation({
  name: "users.list",
  at: "GET /users",
  title: "List people",
  description: `Lists the people of the tenant and its open invitations, by address. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: z.object({ items: z.array(member), invited: z.array(invitation).describe("Open invitations") }),
  shell: { form: "users list", about: "List members and open invitations", ...store },
  view: usersView,
  async run(_, { principal: { tenant }, ports: { identity } }) {
    return { items: await identity.listMembers(tenant), invited: await identity.listInvitations(tenant) };
  },
});

const inviteUser = defineOperation({
  name: "users.invite",
  at: "POST /invitations",
  status: 201,
  title: "Invite a person",
  description: `Invites an address. The token goes into the link, and is shown this once. ${ownOnly} ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ email: z.string(), role }),
  output: z.object({ invitation, token: z.string() }),
  shell: {
    form: "users invite <email>",
    about: "Create an invitation and print its link",
    options: { role: { flags: "--role <name>", usual: "member" } },
    ...store,
    links: true,
    examples: ["users invite ann@example.org --role owner --tenant acme"],
  },
  view: userInvitedView,
  async run({ email, role: wanted }, context) {
    const { principal, ports } = context;
    refuseRole(wanted, context);
    return ports.identity.inviteMember(principal.tenant, { email, role: wanted, by: principal.actor.id });
  },
});

export const listInvitations = defineOperation({
  name: "users.invitations",
  at: "GET /invitations",
  title: "List invitations",
  description: `Lists open invitations, by address. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(invitation),
  run: async (_, { principal, ports }) => ({ items: await ports.identity.listInvitations(principal.tenant) }),
});

const setUserRole = defineOperation({
  name: "users.update",
  at: "PATCH /users/{who}",
  title: "Change a role",
  description: `Changes the role of a person. ${ownOnly} ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ who, role }),
  output: z.object({ who: z.string(), role: z.string(), member: member.optional().describe("As the person is now") }),
  shell: { form: "users set-role <who> <role>", about: "Change the role of a member", ...store },
  view: userSetView,
  async run(change, context) {
    const { principal, ports } = context;
    refuseRole(change.role, context);
    await ports.identity.setMemberRole(principal.tenant, change);
    const members = await ports.identity.listMembers(principal.tenant);
    return { ...change, member: members.find(({ user, email }) => user === change.who || email === change.who.toLowerCase()) };
  },
});

const removeUser = defineOperation({
  name: "users.remove",
  at: "DELETE /users/{who}",
  title: "Remove a person",
  description: `Removes a person from the tenant, with their keys, or ends an invitation. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ who }),
  output: z.object({ removed: z.enum(["member", "invitation"]) }),
  shell: { form: "users remove <who>", about: "Remove a member, by e-mail or id, or withdraw an invitation", ...store },
  view: userRemovedView,
  run: async ({ who: wanted }, { principal, ports }) => ({ removed: await ports.identity.removeMember(principal.tenant, wanted) }),
});

const tenantRole = z.object({
  role: z.string(),
  permissions: z.array(z.string()).describe("Each area.scope.verb, with * for any one part, or one of the engine's own"),
  builtIn: z.boolean().describe("Every tenant has it, and nobody changes it"),
});

export const listRoles = defineOperation({
  name: "roles.list",
  at: "GET /roles",
  title: "List roles",
  description: `Lists the roles that people of the tenant can have: the built-in ones, then its own by name. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(tenantRole),
  shell: { form: "roles list", about: "List roles: the built-in ones, then those of the tenant", ...store },
  view: rolesView,
  run: async (_, { principal, ports }) => ({ items: await ports.identity.listRoles(principal.tenant) }),
});

export const setRole = defineOperation({
  name: "roles.set",
  at: "PUT /roles/{role}",
  title: "Set a role",
  description: `Makes a role of the tenant, or changes what it may. ${ownOnly} ${needs}`,
  ...managed,
  effect: "write",
  input: z.object({ role: z.string().min(1), permissions }),
  output: z.object({ role: z.string(), permissions: z.array(z.string()) }),
  shell: {
    form: "roles set <role>",
    about: "Create a role, or replace what it may",
    options: { permissions: permissionOption },
    ...store,
    examples: ["roles set auditor --permission '*.*.read' --permission log:read --tenant acme"],
  },
  view: roleSetView,
  async run(wanted, context) {
    refuseWider(wanted.permissions, "/permissions", context);
    await context.ports.identity.defineRole(context.principal.tenant, wanted);
    return wanted;
  },
});

export const removeRole = defineOperation({
  name: "roles.remove",
  at: "DELETE /roles/{role}",
  title: "Remove a role",
  description: `Removes a role of the tenant that nobody has or is invited to. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ role: z.string().min(1) }),
  output: z.object({ removed: z.string() }),
  shell: { form: "roles remove <role>", about: "Remove a role that nobody has", ...store },
  view: { note: "The role {removed} is removed." },
  async run({ role: wanted }, { principal, ports }) {
    await ports.identity.removeRole(principal.tenant, wanted);
    return { removed: wanted };
  },
});

const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  permissions: z.array(z.string()),
  agent: z.string().optional(),
  user: z.string().optional(),
  createdBy: z.string(),
  createdAt: time("When it was made"),
  expiresAt: time("Until when it opens anything"),
  lastUsedAt: time("To the minute").optional(),
  revokedAt: time("When it was revoked").optional(),
});

export const listKeys = defineOperation({
  name: "keys.list",
  at: "GET /keys",
  title: "List API keys",
  description: `Lists API keys, newest first, also those that ended; never a key itself. ${needs}`,
  ...managed,
  effect: "read",
  input: z.object({}),
  output: listOf(apiKey),
  shell: { form: "keys list", about: "List keys; never prints the secret part", ...store },
  view: keysView,
  run: async (_, { principal, ports }) => ({ items: await ports.identity.listApiKeys(principal.tenant) }),
});

const createKey = defineOperation({
  name: "keys.create",
  at: "POST /keys",
  status: 201,
  title: "Create an API key",
  description: `Makes an API key, of a program or of oneself. The key is shown this once. ${ownOnly} ${needs}`,
  ...managed,
  uses: [cataloguePort],
  effect: "write",
  input: z.object({
    name: z.string().describe("What it is for"),
    permissions,
    agent: z.string().optional().describe("It calls in the name of this agent and no other"),
    asMe: z.boolean().optional().describe("True: it calls as the person who makes it; default: as a service of its own"),
    user: z.string().optional().describe("Id or e-mail address of the member as whom it calls; needs the permission tenants:manage"),
    days: z.int().optional().describe("Days until it expires, 1 to 3650; default 90"),
  }),
  output: z.object({ key: z.string(), record: apiKey }),
  shell: {
    form: "keys create <name>",
    about: "Create a key and print it once",
    options: {
      permissions: permissionOption,
      agent: { flags: "--agent <id>", about: "the key calls in the name of this agent" },
      asMe: false,
      user: { flags: "--user <who>", about: "the key calls as this member, within their role" },
      days: { about: "days until the key expires, 1 to 3650", usual: "90" },
    },
    ...store,
    examples: ["keys create ci --permission 'entities.*.read' --days 30 --tenant acme"],
  },
  view: keyMadeView,
  async run({ asMe = false, user, ...wanted }, context) {
    const { principal, ports } = context;
    if (wanted.agent !== undefined) await requireAgent(wanted.agent, context);
    refuseWider(wanted.permissions, "/permissions", context);
    if (user !== undefined && !runsServer(principal)) throw notYours();
    const { id } = principal.actor;
    return ports.identity.createApiKey(principal.tenant, { ...wanted, by: id, user: asMe ? id : user });
  },
});

const revokeKey = defineOperation({
  name: "keys.revoke",
  at: "DELETE /keys/{id}",
  title: "Revoke an API key",
  description: `Revokes an API key: from the next request on it opens nothing. ${needs}`,
  ...managed,
  effect: "destructive",
  input: z.object({ id: z.string().min(1) }),
  output: z.object({ revoked: z.string() }),
  shell: { form: "keys revoke <id>", about: "Revoke a key at once", ...store },
  view: { note: "Revoked. It opens nothing from now on." },
  async run({ id }, { principal, ports }) {
    await ports.identity.revokeApiKey(principal.tenant, id);
    return { revoked: id };
  },
});

/** What a role of the tenant's own may is not known here, so it counts as the widest. */
function refuseRole(wanted: string, context: OperationContext<typeof identityPort>): void {
  refuseWider(builtinRoles.get(wanted) ?? builtinRoles.get("admin") ?? [], "/role", context);
}

/** Whoever runs the server reaches the store anyway. */
const runsServer = ({ permissions }: Principal) => permissions.includes(MANAGE_TENANTS);

/** A key of somebody else could answer approvals in their name. */
const notYours = () =>
  misfitAt("/user", "identity_refused", "A key that calls as another person is made by whoever runs the server. Leave the user out.");

/** Throws `identity_refused` for what is no permission, and for permissions that the principal does not have. */
function refuseWider(patterns: readonly string[], path: string, { principal, parts }: OperationContext<typeof identityPort>): void {
  checkPermissions(patterns);
  if (runsServer(principal)) return;
  const asked = parts.snapshot(principal.tenant).tools.flatMap(({ definition }) => definition.permission ?? []);
  const wider = expandPermissions(patterns, asked).find((permission) => !principal.permissions.includes(permission));
  if (wider === undefined) return;
  throw misfitAt(
    path,
    "identity_refused",
    `The permission ${wider} is not yours, so you cannot give it. Ask somebody who has it, or leave it out.`,
  );
}

export const identitySubject = defineSubject({
  name: "identity",
  permissions: [{ name: MANAGE_IDENTITY, about: "manage the people, roles and API keys of the tenant" }],
  errors: {
    identity_not_found: { kind: "missing", means: "The caller has no such tenant, user, role, invitation or key." },
    identity_refused: { kind: "invalid", means: "What was asked about tenants, users or keys cannot be." },
  },
  store: [identityPort],
  shell: {
    users: { about: "Manage the members of a tenant and their roles" },
    roles: { about: "Manage the roles of a tenant, and what each may" },
    keys: { about: "Manage API keys of a tenant" },
  },
  operations: [
    listUsers,
    inviteUser,
    listInvitations,
    setUserRole,
    removeUser,
    listRoles,
    setRole,
    removeRole,
    listKeys,
    createKey,
    revokeKey,
  ],
});
