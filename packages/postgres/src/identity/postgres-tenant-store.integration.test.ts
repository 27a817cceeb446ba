import { makeCall, tenantStoreConformance } from "@toolwright/engine/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createPostgresTenantStore } from "./postgres-tenant-store.ts";

describe.each(testDatabaseKinds)("the tenants of a store, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => ({
    store: createPostgresTenantStore(test.database),
    reopen: async () => createPostgresTenantStore(test.database),
  });
  for (const { name, run } of tenantStoreConformance(open)) it(name, run);

  it("are known at once after they were found, and one that is made later is found then", async () => {
    const tenants = createPostgresTenantStore(test.database);
    expect(await tenants.has("later")).toBe(false);
    await createPostgresTenantStore(test.database).ensure("later");
    expect(await tenants.has("later")).toBe(true);
    expect(tenants.has("later")).toBe(true);
  });

  it("are named by whatever is written for another one", async () => {
    const log = createPostgresEventLog(test.database, "p1");
    const events = makeCall("tool.completed", { tenant: "nobody", session: "s", callId: "c" });
    await expect(log.append(events)).rejects.toMatchObject({ code: "tenant_not_found" });
  });
});
