import { catalogueStoreConformance } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Database } from "../database/database.ts";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createCatalogueStore, type PostgresCatalogueStore } from "./catalogue-store.ts";

const agent = { agent: "helper", name: "Helper", features: {}, restricted: true, acceptsAgents: false };

describe.each(testDatabaseKinds)("who has which tools, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());

  const open = async () => {
    const store = await createCatalogueStore(test.database, { process: "p1" });
    const cleanup = async () => {
      store.close();
      await test.database.asSystem(async (query) => {
        for (const table of ["agents", "skills", "tools", "tenant_tools", "schema_versions"])
          await sql`delete from ${sql.table(`toolwright.${table}`)}`.execute(query);
      });
    };
    return { store, cleanup };
  };
  for (const { name, run } of catalogueStoreConformance(open)) it(name, run);

  it("counts a change whoever makes it, also without this code", async () => {
    const revision = async () =>
      (
        await test.database.asSystem((query) =>
          query
            .selectFrom("toolwright.revisions")
            .select("revision")
            .where("tenant", "=", "acme")
            .where("area", "=", "catalogue")
            .executeTakeFirst(),
        )
      )?.revision ?? 0;
    const { store, cleanup } = await open();
    await store.agents.create("acme", agent, ["read"]);
    const before = await revision();
    await test.database.asSystem((query) => sql`delete from toolwright.agents where tenant = 'acme'`.execute(query));
    expect(await revision()).toBeGreaterThan(before);
    await cleanup();
  });
});

describe("two processes on one server", () => {
  let test: TestDatabase;
  let there: Database;
  const stores: PostgresCatalogueStore[] = [];
  beforeAll(async () => {
    test = await openTestDatabase("server");
    there = await test.reopen();
    for (const database of [test.database, there]) stores.push(await createCatalogueStore(database, { process: "p1" }));
  });
  afterAll(async () => {
    for (const store of stores) store.close();
    await test.cleanup();
  });
  const seen = (index: number) => stores[index]?.visibility.agentTools("acme", "helper");

  it("see each other's changes within 100 ms, and their own at once", async () => {
    const [here] = stores as [PostgresCatalogueStore];
    await here.agents.create("acme", agent);
    await vi.waitFor(() => expect(seen(1)).toEqual(new Set()), { timeout: 5_000, interval: 5 });
    const waits: number[] = [];
    for (let round = 0; round < 10; round += 1) {
      const tool = `tool_${round}`;
      await here.enablement.setForAgent({ tenant: "acme", agent: "helper" }, [tool], true);
      expect(seen(0)?.has(tool)).toBe(true);
      const written = performance.now();
      await vi.waitFor(() => expect(seen(1)?.has(tool)).toBe(true), { timeout: 5_000, interval: 1 });
      waits.push(performance.now() - written);
    }
    expect(waits.sort((a, b) => a - b)[5]).toBeLessThan(100);
  });

  it("see a change whose notice was lost within 5 s", async () => {
    await test.database.asTenant("acme", (query) =>
      sql`insert into toolwright.agent_tools (tenant, agent, tool, source, enabled) values ('acme', 'helper', 'quiet', 'manual', true)`.execute(
        query,
      ),
    );
    for (const index of [0, 1]) await vi.waitFor(() => expect(seen(index)?.has("quiet")).toBe(true), { timeout: 8_000, interval: 20 });
  });

  it("end with the same answer after writing the same rows at once", async () => {
    const of = { tenant: "acme", agent: "helper" };
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => stores[index % 2]?.enablement.setForAgent(of, ["contended"], index % 3 === 0)),
    );
    const listed = await stores[0]?.enablement.listForAgent("acme", "helper");
    const truth = listed?.find(({ tool }) => tool === "contended")?.enabled;
    for (const index of [0, 1]) await vi.waitFor(() => expect(seen(index)?.has("contended")).toBe(truth), { timeout: 5_000, interval: 5 });
  });
});
