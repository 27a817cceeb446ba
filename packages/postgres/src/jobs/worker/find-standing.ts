import type { Principal } from "@toolwright/engine";
import { hookOf, intersectPermissions } from "@toolwright/engine/ports";
import { sql } from "kysely";
import type { Query } from "../../database/database.ts";
import { storableText } from "../../database/storable-text.ts";
import { permissionsOfRole } from "../../identity/roles.ts";

export interface StandingOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** True for whoever runs this installation and is no member of it: what they made runs with the rights that it was made with. */
  readonly isOperator: (principal: Principal) => boolean;
}

/** Whom a job acts for at this moment, with what is left of the rights it was made with, and what is not. */
export interface Stands {
  readonly principal: Principal;
  readonly lost: readonly string[];
}

/** Who stands behind a job, or why nobody is left. */
export type Standing = Stands | { readonly gone: string };

/**
 * Looks once more who made a job: never more than was stored with it, and no more than its maker, the key that it came with, the agent and
 * everyone further up have now. An installation that keeps no people and no keys knows them elsewhere, so what is stored stands.
 */
export async function findStanding(query: Query, principal: Principal, options: StandingOptions): Promise<Standing> {
  if (options.isOperator(principal)) return { principal, lost: [] };
  const gone =
    (await whyAgentGone(query, principal)) ?? (await whyKeyGone(query, principal, options.now)) ?? (await whyHookGone(query, principal));
  if (gone !== undefined) return { gone };
  const kept = principal.delegated ? await keptFromAbove(query, principal, options) : await keptOfActor(query, principal, options.now);
  if ("gone" in kept) return kept;
  const lost = principal.permissions.filter((permission) => !kept.permissions.includes(permission));
  return { principal: { ...principal, ...kept }, lost };
}

/** What changes in the stored principal. */
type Kept = Pick<Principal, "permissions" | "delegated"> | { readonly gone: string };

async function keptFromAbove(query: Query, { permissions, delegated }: Principal, options: StandingOptions): Promise<Kept> {
  if (!delegated) return { permissions };
  const above = await findStanding(query, delegated.from, options);
  if ("gone" in above) return above;
  const from = above.principal;
  return { permissions: permissions.filter((each) => from.permissions.includes(each)), delegated: { ...delegated, from } };
}

/** Rights of an agent of its own are those it was made with; whether it still is there was looked at before. */
async function keptOfActor(query: Query, principal: Principal, now: number): Promise<Kept> {
  const { tenant, actor, permissions, key } = principal;
  if (actor.kind === "agent") return { permissions };
  if (actor.kind === "service") {
    const own = actor.id.startsWith("key:") ? await findKey(query, { tenant, id: actor.id.slice(4) }, now) : undefined;
    if (own) return { permissions: intersectPermissions(permissions, own.permissions) };
    if (!actor.id.startsWith("key:") && !(await isIdentityKept(query))) return { permissions };
    return { gone: `${actor.id} is not known in tenant ${tenant}, or its key was revoked or has expired.` };
  }
  const role = await findRole(query, tenant, actor.id);
  if (role === undefined)
    return (await isIdentityKept(query)) ? { gone: `The user ${actor.id} is no member of tenant ${tenant} any more.` } : { permissions };
  const ofRole = intersectPermissions(permissions, await permissionsOfRole(query, tenant, role));
  const ofKey = key === undefined ? undefined : await findKey(query, { tenant, id: key }, now);
  return { permissions: ofKey ? intersectPermissions(ofRole, ofKey.permissions) : ofRole };
}

async function whyKeyGone(query: Query, { tenant, key }: Principal, now: number): Promise<string | undefined> {
  if (key === undefined || (await findKey(query, { tenant, id: key }, now))) return undefined;
  return `The API key ${key}, with which it was made, was revoked or has expired.`;
}

async function whyHookGone(query: Query, { tenant, actor }: Principal): Promise<string | undefined> {
  const hook = hookOf(actor);
  if (hook === undefined) return undefined;
  const row = await query
    .selectFrom("toolwright.hooks")
    .select("hook")
    .where("tenant", "=", tenant)
    .where("hook", "=", storableText(hook))
    .executeTakeFirst();
  return row ? undefined : `The hook ${hook}, to which it was sent, was removed.`;
}

/** A tenant without agents here describes them elsewhere, as in its policy. */
async function whyAgentGone(query: Query, { tenant, agent }: Principal): Promise<string | undefined> {
  if (agent === undefined) return undefined;
  const { rows } = await sql<{ gone: boolean }>`
    select exists (select from toolwright.agents where tenant = ${tenant})
      and not exists (select from toolwright.agents where tenant = ${tenant} and agent = ${storableText(agent)}) as gone`.execute(query);
  return rows[0]?.gone ? `Agent ${agent} of tenant ${tenant} was deleted.` : undefined;
}

function findKey(query: Query, { tenant, id }: { readonly tenant: string; readonly id: string }, now: number) {
  return query
    .selectFrom("toolwright.api_keys")
    .select("permissions")
    .where("tenant", "=", tenant)
    .where("key_id", "=", id)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", new Date(now))
    .executeTakeFirst();
}

async function findRole(query: Query, tenant: string, user: string): Promise<string | undefined> {
  const row = await query
    .selectFrom("toolwright.memberships")
    .select("role")
    .where("tenant", "=", tenant)
    .where("user_id", "=", user)
    .executeTakeFirst();
  return row?.role;
}

/** True where any tenant keeps people: who was the last member of one must not be taken for somebody that it never kept. */
async function isIdentityKept(query: Query): Promise<boolean> {
  const { rows } = await sql<{ kept: boolean }>`
    select exists (select from toolwright.users) or exists (select from toolwright.api_keys) as kept`.execute(query);
  return rows[0]?.kept === true;
}
