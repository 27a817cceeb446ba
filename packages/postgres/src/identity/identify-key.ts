import {
  apiKeyIdOf,
  type Clock,
  findKeyProblem,
  type Identified,
  isKeyUseDue,
  type KeyProblem,
  toIdentified,
} from "@toolwright/engine/ports";
import type { Database, Query } from "../database/database.ts";
import { toStoredKey } from "./api-keys.ts";
import { permissionsOfRole } from "./roles.ts";

interface IdentifyParts {
  readonly database: Database;
  readonly clock: Clock;
  /** Permissions that something asks for; what a `*` of a role or key stands for. */
  readonly known: () => readonly string[];
}

/** Whom a key stands for, or why it stands for nobody. */
export async function identifyKey({ database, clock, known }: IdentifyParts, token: string): Promise<Identified | KeyProblem> {
  const id = apiKeyIdOf(token);
  if (id === undefined) return "unknown";
  // The tenant is not known before the key is: the one look that is not made in its name.
  return database.asSystem(async (query) => {
    const row = await findKey(query, id);
    const stored = row && toStoredKey(row);
    const now = clock.now();
    const problem = findKeyProblem(token, stored, { now, isSuspended: row?.suspended_at != null });
    if (!stored || problem) return problem ?? "unknown";
    if (isKeyUseDue(stored.record, now)) await noteUse(query, id, now);
    const role = row.role === null ? undefined : await permissionsOfRole(query, row.tenant, row.role);
    return toIdentified(stored, { role, known: known() });
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
