import type { Membership } from "@toolwright/engine/ports";
import type { Database } from "../database/database.ts";

/** The tenants that a person may choose from, by name. */
export function membershipsOf(database: Database, user: string): Promise<readonly Membership[]> {
  return database.asSystem((query) =>
    query
      .selectFrom("toolwright.memberships as m")
      .innerJoin("toolwright.tenants as t", "t.tenant", "m.tenant")
      .select(["m.tenant", "t.name", "m.role"])
      .where("m.user_id", "=", user)
      .where("t.suspended_at", "is", null)
      .orderBy("t.name")
      .orderBy("m.tenant")
      .execute(),
  );
}
