import type { Database } from "../database/database.ts";

const identityTopic = "identity";

/** Tells every process that who may do what in a tenant has changed. */
export function announceIdentity(database: Database, tenant: string): void {
  database.announce({ topic: identityTopic, tenant, id: tenant });
}
