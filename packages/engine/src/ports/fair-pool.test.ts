import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Principal } from "../contract/principal.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { FairPool, type FairPoolOptions, type PoolSlot, type Sharer, sharerOf } from "./fair-pool.ts";

const someone = (tenant: string, person = "user ann"): Sharer => ({ tenant, person });
const a = someone("a");
const b = someone("b");

function open(options: Partial<FairPoolOptions> = {}) {
  const clock = createManualClock();
  return { clock, pool: new FairPool({ things: "programs", capacity: 4, clock, ...options }) };
}

/** Takes places and writes down who got one, in order. */
function record(pool: FairPool) {
  const granted: PoolSlot[] = [];
  const ask = (sharer: Sharer) => pool.take(sharer).then((place) => void granted.push(place));
  return { granted, ask };
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("a pool that people share", () => {
  it("gives all places to one who is alone, and the next ones to others until all have the same", async () => {
    const { pool } = open();
    const { granted, ask } = record(pool);
    for (let n = 0; n < 8; n++) void ask(a);
    await settled();
    expect(pool.heldBy(a)).toBe(4);
    for (let n = 0; n < 3; n++) void ask(b);
    for (const place of granted.splice(0, 3)) place.free();
    await settled();
    expect([pool.heldBy(a), pool.heldBy(b)]).toEqual([2, 2]);
  });

  it("serves who comes later after one place of each of the others, however long their queues are", async () => {
    const { pool } = open({ capacity: 1 });
    const { granted, ask } = record(pool);
    for (let n = 0; n < 10; n++) void ask(a);
    await settled();
    void ask(b);
    void ask(someone("a", "user bob"));
    for (let n = 0; n < 4; n++) {
      granted.at(-1)?.free();
      await settled();
    }
    expect(granted.map(({ sharer }) => sharer)).toEqual([a, a, b, someone("a", "user bob"), a]);
  });

  it("refuses what waits too long or is too much with one code, a sentence and a time", async () => {
    const { pool, clock } = open({ capacity: 1, mostWaiting: 2, mostWaitMs: 60_000 });
    await pool.take(a);
    const waiting = [pool.take(a), pool.take(a)].map((each) => each.catch((error: unknown) => error));
    await expect(pool.take(a)).rejects.toMatchObject({
      code: "busy",
      message: "This server is busy: 1 of 1 places for programs are in use, and you have 2 requests waiting. Try again in 15 s.",
      details: { rule: "programs", retryAfterMs: 15_000 },
    });
    await clock.advance(60_000);
    expect(await Promise.all(waiting)).toMatchObject([{ code: "busy" }, { code: "busy" }]);
  });

  it("has room in its queue for the others of a tenant where one of its people has filled theirs", async () => {
    const { pool } = open({ capacity: 1, mostWaiting: 1 });
    const place = await pool.take(a);
    void pool.take(a);
    await expect(pool.take(a)).rejects.toMatchObject({ code: "busy" });
    const bob = pool.take(someone("a", "user bob"));
    place.free();
    (await Promise.race([bob, settled()]))?.free();
    expect(pool.held).toBe(1);
  });

  it("forgets a request whose call was cancelled", async () => {
    const { pool } = open({ capacity: 1 });
    const place = await pool.take(a);
    const stop = new AbortController();
    const left = pool.take(a, { signal: stop.signal });
    stop.abort(new Error("cancelled"));
    await expect(left).rejects.toThrow("cancelled");
    place.free();
    place.free();
    expect(pool.held).toBe(0);
    await expect(pool.take(a, { signal: stop.signal })).rejects.toThrow("cancelled");
  });

  it("lets what gave its place back go before other requests of its person, and never refuses it", async () => {
    const { pool, clock } = open({ capacity: 1, mostWaiting: 1 });
    const place = await pool.take(b);
    const { granted, ask } = record(pool);
    void ask(a).catch(() => undefined);
    const back = pool.take(a, { isBack: true });
    await clock.advance(600_000);
    place.free();
    (await back).free();
    expect(granted).toEqual([]);
  });

  it("keeps places free beyond what a tenant and a person may have at most", async () => {
    const { pool } = open({ capacity: 8, mostOfTenant: 4, mostOfPerson: 2 });
    expect([pool.tryTake(a), pool.tryTake(a), pool.tryTake(a)].filter(Boolean)).toHaveLength(2);
    const bob = someone("a", "user bob");
    const cid = someone("a", "user cid");
    expect([pool.tryTake(bob), pool.tryTake(bob), pool.tryTake(cid)].filter(Boolean)).toHaveLength(2);
    expect(pool.tryTake(b)).toBeDefined();
  });

  it("has those yield who hold two places more than one that waits", async () => {
    const { pool } = open();
    for (let n = 0; n < 4; n++) await pool.take(a);
    expect(pool.shouldYield(a)).toBe(false);
    void pool.take(b);
    expect([pool.shouldYield(a), pool.shouldYield(b)]).toEqual([true, false]);
  });
});

describe("any arrivals and ends", () => {
  const sharers = ["a", "b", "c"].flatMap((tenant) => ["x", "y"].map((person) => someone(tenant, person)));
  const step = fc.oneof(
    fc.record({ kind: fc.constant("take" as const), who: fc.nat(sharers.length - 1) }),
    fc.record({ kind: fc.constant("free" as const), which: fc.nat(100) }),
    fc.record({ kind: fc.constant("cancel" as const), which: fc.nat(100) }),
  );

  it("never exceed the capacity, give nobody more than half while another waits, and starve nobody (R-SH-1)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 9 }), fc.array(step, { maxLength: 80 }), async (capacity, steps) => {
        const { pool } = open({ capacity, mostWaiting: 1_000 });
        const held: PoolSlot[] = [];
        const waiting: { sharer: Sharer; stop: AbortController; passed: number }[] = [];
        const half = Math.ceil(capacity / 2);
        const grant = (place: PoolSlot, own: (typeof waiting)[number]) => {
          waiting.splice(waiting.indexOf(own), 1);
          held.push(place);
          const { tenant, person } = place.sharer;
          const others = waiting.filter(({ sharer }) => sharer.tenant !== tenant);
          if (others.length > 0) expect(pool.heldBy({ tenant })).toBeLessThanOrEqual(half);
          if (waiting.some(({ sharer }) => sharer.tenant === tenant && sharer.person !== person))
            expect(pool.heldBy(place.sharer)).toBeLessThanOrEqual(half);
          // A tenant that holds nothing is served after at most one place of each other tenant that waits.
          for (const each of waiting)
            each.passed = pool.heldBy({ tenant: each.sharer.tenant }) === 0 && each.sharer.tenant !== tenant ? each.passed + 1 : 0;
          for (const each of waiting) expect(each.passed).toBeLessThanOrEqual(2);
        };
        const take = async (sharer: Sharer) => {
          const own = { sharer, stop: new AbortController(), passed: 0 };
          waiting.push(own);
          await pool.take(sharer, { signal: own.stop.signal }).then(
            (place) => grant(place, own),
            () => waiting.splice(waiting.indexOf(own), 1),
          );
        };
        const taken: Promise<void>[] = [];
        for (const each of steps) {
          if (each.kind === "take") taken.push(take(sharers[each.who] as Sharer));
          else if (each.kind === "free") held.splice(each.which % Math.max(1, held.length), 1)[0]?.free();
          else waiting[each.which % Math.max(1, waiting.length)]?.stop.abort();
          await settled();
          expect(pool.held).toBe(held.length);
          expect(held.length).toBeLessThanOrEqual(capacity);
          if (waiting.length > 0) expect(held.length).toBe(capacity);
        }
        while (held.length > 0) {
          held.shift()?.free();
          await settled();
        }
        await Promise.all(taken);
        expect([pool.held, waiting.length]).toEqual([0, 0]);
      }),
      { numRuns: 100 },
    );
  });
});

it("shares by the person who asks or is acted for, else by the program", () => {
  const base: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "rest" };
  const agent: Principal = { ...base, actor: { kind: "agent", id: "helper" } };
  const key: Principal = { ...base, actor: { kind: "service", id: "key:k1" } };
  expect(sharerOf({ ...base, key: "k2" })).toEqual({ tenant: "acme", person: "user ann" });
  expect(sharerOf({ ...agent, onBehalfOf: "ann" })).toEqual({ tenant: "acme", person: "user ann" });
  expect(sharerOf({ ...agent, delegated: { from: { ...agent, onBehalfOf: "ann" } } })).toEqual({ tenant: "acme", person: "user ann" });
  expect(sharerOf({ ...agent, delegated: { from: key } })).toEqual({ tenant: "acme", person: "service key:k1" });
  expect(sharerOf(key)).toEqual({ tenant: "acme", person: "service key:k1" });
});
