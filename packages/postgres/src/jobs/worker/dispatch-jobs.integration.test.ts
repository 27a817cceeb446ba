import type { Principal } from "@toolwright/engine";
import { createRandomIds, silentLogger } from "@toolwright/engine/ports";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countWaiting } from "../../testing/count-waiting.ts";
import { openTestDatabase, type TestDatabase } from "../../testing/index.ts";
import { alice, createWorkbench, until } from "../jobs-workbench.ts";
import { createPostgresJobs } from "../postgres-jobs.ts";
import { dispatchJobs } from "./dispatch-jobs.ts";
import { openQueue, type Queue } from "./open-queue.ts";

describe("two workers that hand out jobs at the same moment", () => {
  let test: TestDatabase;
  let queue: Queue;
  beforeAll(async () => {
    test = await openTestDatabase("server");
    queue = await openQueue(test.database, silentLogger);
  });
  afterAll(async () => {
    await queue.close();
    await test.cleanup();
  });

  it("hand out no more of a tenant than it may have there, also when other jobs come first meanwhile", async () => {
    const { jobs } = createWorkbench(test.database);
    const now = Date.now();
    const enqueue = (runAt: number) => jobs.enqueue(alice, { tool: "echo", input: { text: "x" }, runAt });
    await enqueue(now - 1_000);
    const adding = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const held: Queue = {
      ...queue,
      async add(query, tickets) {
        adding.resolve();
        await release.promise;
        await queue.add(query, tickets);
      },
    };
    const first = dispatchJobs(test.database, held, { now, mostAtOnce: 1 });
    await adding.promise;
    await enqueue(now - 2_000);
    let isOver = false;
    const second = dispatchJobs(test.database, queue, { now, mostAtOnce: 1 }).finally(() => {
      isOver = true;
    });
    await until(async () => isOver || (await countWaiting(test.database.owner)) > 0, Boolean);
    release.resolve();
    expect(await Promise.all([first, second])).toEqual([1, 0]);
  });

  it("share the places of a tenant by person: one who floods delays nobody beyond a place of theirs (R-SH-1)", async () => {
    const { jobs } = createWorkbench(test.database);
    const now = Date.now();
    const bob: Principal = { ...alice, tenant: "globex", actor: { kind: "agent", id: "helper" }, onBehalfOf: "bob" };
    const flooder = { ...alice, tenant: "globex" };
    await test.database.asSystem((query) => query.insertInto("toolwright.tenants").values({ tenant: "globex", name: "Globex" }).execute());
    for (let index = 0; index < 12; index++) await jobs.enqueue(flooder, { tool: "echo", input: { text: "x" }, runAt: now - 60_000 });
    const { id } = await jobs.enqueue(bob, { tool: "echo", input: { text: "x" }, runAt: now - 1_000 });
    await dispatchJobs(test.database, queue, { now, mostAtOnce: 2 });
    const handed = await test.database.asSystem((query) =>
      query.selectFrom("toolwright.jobs").select("job").where("tenant", "=", "globex").where("ticket", "is not", null).execute(),
    );
    expect(handed).toHaveLength(2);
    expect(handed.map(({ job }) => job)).toContain(id);
  });

  it("come from a queue in which a person has so many jobs at most, with all their agents, and others have theirs (R-SH-2)", async () => {
    const jobs = createPostgresJobs(test.database, { ids: createRandomIds(), now: Date.now, mostOfPerson: 3 });
    const echo = { tool: "echo", input: { text: "x" }, runAt: Date.now() + 60_000 };
    const cid: Principal = { ...alice, actor: { kind: "user", id: "cid" } };
    const helper: Principal = { ...alice, actor: { kind: "agent", id: "helper" }, onBehalfOf: "cid" };
    const [first] = await Promise.all([jobs.enqueue(cid, { ...echo, idempotencyKey: "one" }), jobs.enqueue(helper, echo)]);
    await jobs.enqueue(cid, echo);
    await expect(jobs.enqueue(helper, echo)).rejects.toMatchObject({
      code: "limit_reached",
      message:
        "You have 3 jobs that wait or run, as many as one person may have. Cancel some, or wait until they end. toolwright usage limits and the page /usage show your limits.",
    });
    expect((await jobs.enqueue(cid, { ...echo, idempotencyKey: "one" })).id).toBe(first.id);
    await jobs.enqueue({ ...helper, onBehalfOf: "dan" }, echo);
    await jobs.cancel(cid, first.id);
    await jobs.enqueue(helper, echo);
  });
});
