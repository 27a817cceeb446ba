import type { Clock } from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import type { Identified } from "./identified.ts";
import { expandPermissions, intersectPermissions } from "./permissions.ts";
import { permissionsOfRole } from "./roles.ts";
import { isSecretOf } from "./secret-text.ts";

const form = /^tw_([a-z0-9]{16})_[A-Za-z0-9_-]{43}$/;
const minute = 60_000;

export interface IdentifyParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Permissions that something asks for; what a `*` of a role or key stands for. */
  readonly known: () => readonly string[];
}

/** True for text that is meant as a key of ours; only `identifyKey` says whether it is one. */
export function looksLikeKey(token: string): boolean {
  return token.startsWith("tw_");
}

/** Why a key opens nothing. Whoever is told more than `unknown` has shown the whole key. */
export type KeyProblem = "unknown" | "revoked" | "expired" | "suspended";

/** Whom a key stands for, or why it stands for nobody. */
export async function identifyKey({ database, clock, known }: IdentifyParts, token: string): Promise<Identified | KeyProblem> {
  const id = form.exec(token)?.[1];
  if (id === undefined) return "unknown";
  // The tenant is not known before the key is: the one look that is not made in its name.
  return database.asSystem(async (query) => {
    const row = await findKey(query, id);
    const isRight = isSecretOf(token, row?.hash ?? "");
    const now = clock.now();
    if (!row || !isRight) return "unknown";
    if (row.revoked_at) return "revoked";
    if (row.expires_at.getTime() <= now) return "expired";
    if (row.suspended_at) return "suspended";
    if (now - (row.last_used_at?.getTime() ?? 0) >= minute) await noteUse(query, id, now);
    const own = expandPermissions(row.permissions, known());
    const common = { tenant: row.tenant, ...(row.agent !== null && { agent: row.agent }) };
    if (row.user_id === null || row.role === null) return { ...common, actor: { kind: "service", id: `key:${id}` }, permissions: own };
    const permissions = intersectPermissions(own, await permissionsOfRole(query, row.tenant, row.role));
    return { ...common, key: id, actor: { kind: "user", id: row.user_id }, permissions };
  });
}

function findKey(query: Query, id: string) {
  return query
    .selectFrom("toolwright.api_keys as k")
    .innerJoin("toolwright.tenants as t", "t.tenant", "k.tenant")
    .leftJoin("toolwright.memberships as m", (join) => join.onRef("m.tenant", "=", "k.tenant").onRef("m.user_id", "=", "k.user_id"))
    .selectAll("k")
    .select(["t.suspended_at", "m.role"])
    .where("k.key_id", "=", id)
    .executeTakeFirst();
}

async function noteUse(query: Query, id: string, now: number): Promise<void> {
  await query
    .updateTable("toolwright.api_keys")
    .set({ last_used_at: new Date(now) })
    .where("key_id", "=", id)
    .execute();
}
