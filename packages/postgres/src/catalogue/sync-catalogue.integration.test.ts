import { createEngine, defineTool } from "@toolwright/engine";
import type { SyncReport } from "@toolwright/engine/catalogue";
import { type Snapshot, toCodeTools } from "@toolwright/engine/catalogue";
import { createManualClock } from "@toolwright/engine/testing";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { openTestDatabase, type TestDatabase, testDatabaseKinds } from "../testing/index.ts";
import { createCatalogueStore } from "./catalogue-store.ts";
import { leaveCatalogue, renewCatalogue, syncCatalogue } from "./sync-catalogue.ts";

const agent = { agent: "helper", name: "Helper", features: {}, restricted: true, acceptsAgents: false };
const snapshotOf = (...names: string[]): Snapshot =>
  createEngine({
    tools: names.map((name) =>
      defineTool({
        name,
        description: "Does one thing.",
        input: z.object({}),
        output: z.object({}),
        requiredEnv: name === "needy" ? ["NEEDED"] : [],
        run: () => ({}),
      }),
    ),
  }).snapshot();

describe.each(testDatabaseKinds)("the catalogue in the database, %s", (kind) => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await openTestDatabase(kind);
  });
  afterAll(() => test.cleanup());
  beforeEach(() =>
    test.database.asSystem(async (query) => {
      for (const table of ["code_tools", "process_tools", "agents", "skills", "tenant_tools", "tools"])
        await sql`delete from ${sql.table(`toolwright.${table}`)}`.execute(query);
    }),
  );

  const sync = (process: string, ...names: string[]) => syncCatalogue(test.database, snapshotOf(...names), { process });
  const stored = () =>
    test.database.asSystem(async (query) =>
      (await query.selectFrom("toolwright.code_tools").select("tool").orderBy("tool").execute()).map(({ tool }) => tool),
    );
  /** As if the process had not been heard of for that long. */
  const silence = (process: string, seconds: number) =>
    test.database.asSystem((query) =>
      sql`update toolwright.process_tools set seen_at = clock_timestamp() - make_interval(secs => ${seconds}) where process = ${process}`.execute(
        query,
      ),
    );

  it("has the tools of code, and says what is new and what changed", async () => {
    expect(await sync("p1", "read", "write")).toEqual({ added: ["read", "write"], changed: [], removed: [], held: [] });
    expect(await sync("p1", "read", "write")).toEqual({ added: [], changed: [], removed: [], held: [] });
    await test.database.asSystem((query) => sql`update toolwright.code_tools set hash = 'old' where tool = 'read'`.execute(query));
    expect((await sync("p1", "read", "write")).changed).toEqual(["read"]);
    expect(await stored()).toEqual(["read", "write"]);
  });

  it("takes a gone tool's enablement along, tells who lost it, and names the tool that it became", async () => {
    const store = await createCatalogueStore(test.database, { process: "p0" });
    await sync("p1", "fetch", "read");
    await store.agents.create("acme", agent, ["fetch", "read"]);
    await store.agents.create("other", { ...agent, agent: "second" });
    await store.skills.create("other", { skill: "web", title: "Web", instructions: "Look.", tools: ["fetch"] });
    await store.skills.setForAgent({ tenant: "other", agent: "second", skill: "web" }, true);
    await store.enablement.setForTenant("acme", ["fetch"], true);
    await leaveCatalogue(test.database, "p1");
    const report = await sync("p2", "get_page", "read");
    const none = { agent: undefined, skill: undefined };
    expect(report.removed).toEqual([
      {
        tool: "fetch",
        renamedTo: "get_page",
        lost: [
          { ...none, tenant: "acme", agent: "helper", source: "default" },
          { ...none, tenant: "acme", source: "tenant" },
          { tenant: "other", agent: "second", source: "skill", skill: "web" },
        ],
      },
    ]);
    expect((await store.enablement.listForAgent("acme", "helper")).map(({ tool }) => tool)).toEqual(["read"]);
    await vi.waitFor(() => expect(store.visibility.agentTools("acme", "helper")).toEqual(new Set(["read"])), {
      timeout: 2_000,
      interval: 5,
    });
    store.close();
  });

  it("keeps rows that narrow, so that a tool which comes back is not more open than before", async () => {
    const store = await createCatalogueStore(test.database, { process: "p0" });
    const code = snapshotOf("fetch");
    await syncCatalogue(test.database, code, { process: "p1" });
    await store.tools.putOverride({ tenant: "acme", by: "ann", code: toCodeTools(code) }, { tool: "fetch", approval: "always_ask" });
    await store.enablement.setForTenant("acme", ["fetch"], false);
    await sync("p1", "read");
    expect(await stored()).toEqual(["read"]);
    expect(store.visibility.tenantRow("acme", "fetch")).toBe("off");
    expect(store.tenantTools.of("acme")?.overrides).toMatchObject([{ tool: "fetch", approval: "always_ask" }]);
    store.close();
  });

  it("keeps what another version serves, whichever of both starts or renews last", async () => {
    await sync("old", "fetch", "read");
    expect((await sync("new", "get_page", "read")).held).toEqual([{ tool: "fetch", by: ["old"] }]);
    expect((await sync("old", "fetch", "read")).held).toEqual([{ tool: "get_page", by: ["new"] }]);
    const renew = () => renewCatalogue(test.database, { process: "new", held: ["fetch"] });
    expect(await renew()).toEqual({ removed: [], held: [{ tool: "fetch", by: ["old"] }] });
    await leaveCatalogue(test.database, "old");
    expect((await renew()).removed).toMatchObject([{ tool: "fetch", renamedTo: "get_page" }]);
    expect(await stored()).toEqual(["get_page", "read"]);
  });

  it("never lets a running process remove what came after it, though nothing serves it now", async () => {
    await sync("old", "fetch");
    await sync("new", "fetch", "get_page");
    await leaveCatalogue(test.database, "new");
    expect((await renewCatalogue(test.database, { process: "old", held: [] })).removed).toEqual([]);
    expect(await stored()).toEqual(["fetch", "get_page"]);
  });

  it("keeps, while a process follows its engine, what goes and may come back", async () => {
    const store = await createCatalogueStore(test.database, { process: "p1" });
    let now = snapshotOf("fetch", "read");
    const listeners = new Set<() => void>();
    const source = {
      snapshot: () => now,
      onChange(listener: () => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
    const reports: SyncReport[] = [];
    const clock = createManualClock();
    const followed = await store.follow(source, { isComplete: () => true, onReport: (report) => reports.push(report), clock });
    now = snapshotOf("read");
    for (const listener of listeners) listener();
    await clock.advance(100);
    await followed.stop();
    expect(reports).toEqual([{ added: [], changed: [], removed: [], held: [] }]);
    expect(await stored()).toEqual(["fetch", "read"]);
    store.close();
    expect((await sync("p2", "read")).removed).toMatchObject([{ tool: "fetch" }]);
  });

  it("follows the engine of a process until it stops", async () => {
    const store = await createCatalogueStore(test.database, { process: "p1" });
    const engine = createEngine();
    const reports: SyncReport[] = [];
    const clock = createManualClock();
    const followed = await store.follow(engine, { isComplete: () => true, onReport: (report) => reports.push(report), clock });
    expect(followed.report.added).toEqual([]);
    engine.register([defineTool({ name: "late", description: "Came later.", input: z.object({}), output: z.object({}), run: () => ({}) })]);
    await clock.advance(99);
    expect(reports).toEqual([]);
    await clock.advance(1);
    await followed.stop();
    expect(reports).toMatchObject([{ added: ["late"] }]);
    store.close();
    expect((await sync("p2", "read")).removed).toMatchObject([{ tool: "late" }]);
  });

  it("waits for a process that was killed, and then removes what only it served", async () => {
    await sync("old", "fetch");
    await sync("new", "read");
    await silence("old", 299);
    expect((await renewCatalogue(test.database, { process: "new", held: ["fetch"] })).removed).toEqual([]);
    await silence("old", 301);
    expect((await renewCatalogue(test.database, { process: "new", held: ["fetch"] })).removed).toMatchObject([{ tool: "fetch" }]);
  });

  it("gives the others a turn after all were silent", async () => {
    await sync("old", "fetch");
    await sync("new", "read");
    for (const process of ["old", "new"]) await silence(process, 1000);
    expect((await renewCatalogue(test.database, { process: "new", held: ["fetch"] })).removed).toEqual([]);
    await renewCatalogue(test.database, { process: "old", held: ["read"] });
    expect((await renewCatalogue(test.database, { process: "new", held: ["fetch"] })).removed).toEqual([]);
    expect(await stored()).toEqual(["fetch", "read"]);
  });

  it("takes nothing for gone when files were refused or a variable is not set", async () => {
    await sync("p1", "fetch", "read");
    const report = await syncCatalogue(test.database, snapshotOf("read"), { process: "p1", complete: false });
    expect(report).toMatchObject({ removed: [], held: [{ tool: "fetch", by: [] }] });
    await test.database.asSystem((query) => sql`update toolwright.code_tools set tool = 'needy' where tool = 'fetch'`.execute(query));
    expect(snapshotOf("read", "needy").leftOut).toEqual(["needy"]);
    expect(await sync("p1", "read", "needy")).toMatchObject({ removed: [], held: [] });
  });

  it("ends with the same rows when several processes sync at once", async () => {
    await sync("before", "fetch", "read");
    await leaveCatalogue(test.database, "before");
    const reports = await Promise.all(Array.from({ length: 8 }, (_, index) => sync(`p${index}`, "get_page", "read")));
    expect(reports.flatMap(({ removed }) => removed)).toHaveLength(1);
    expect(reports.flatMap(({ added }) => added)).toEqual(["get_page"]);
    expect(await stored()).toEqual(["get_page", "read"]);
  });

  it("waits for nobody who waits for it: tenants write while tools come and go", async () => {
    const store = await createCatalogueStore(test.database, { process: "p0" });
    await store.agents.create("acme", agent);
    const of = { tenant: "acme", agent: "helper" };
    const writes = Array.from({ length: 30 }, async (_, index) => {
      await store.enablement.setForTenant("acme", ["fetch", "read"], index % 2 === 0);
      await store.enablement.setForAgent(of, ["read", "fetch"], true);
    });
    const syncs = Array.from({ length: 10 }, (_, index) => sync("p1", ...(index % 2 === 0 ? ["fetch", "read"] : ["write"])));
    const outcomes = await Promise.allSettled([...writes, ...syncs]);
    expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
    store.close();
  });

  it("is read by no tenant: some tools are for some tenants only", async () => {
    for (const table of ["code_tools", "process_tools"])
      await expect(
        test.database.asTenant("acme", (query) => sql`select from ${sql.table(`toolwright.${table}`)}`.execute(query)),
      ).rejects.toThrow();
  });
});
