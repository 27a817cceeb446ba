import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPostgresEventLog } from "../events/postgres-event-log.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { makeCall } from "../testing/make-events.ts";
import { createKnownTenants } from "./known-tenants.ts";
import { createTenant } from "./tenants.ts";

describe.each(testDatabaseKinds)("the tenants of a store, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  it("are known at once after they were found, and one that is made later is found then", async () => {
    const tenants = createKnownTenants(test.database);
    expect(await tenants.has("later")).toBe(false);
    await createTenant(test.database, { tenant: "later", name: "Later" });
    expect(await tenants.has("later")).toBe(true);
    expect(tenants.has("later")).toBe(true);
  });

  it("are named by whatever is written for another one", async () => {
    const log = createPostgresEventLog(test.database, "p1");
    const events = makeCall("tool.completed", { tenant: "nobody", session: "s", callId: "c" });
    await expect(log.append(events)).rejects.toMatchObject({ code: "tenant_not_found" });
  });
});
