import assert from "node:assert/strict";
import type { Limiter } from "../ports/limiter.ts";
import type { ConformanceCase } from "./conformance-case.ts";

interface OpenLimiter {
  readonly limiter: Limiter;
  /** A further limiter on the same place, beside the first one where the place can be shared. */
  readonly reopen: () => Promise<Limiter>;
  readonly cleanup: () => Promise<void>;
}

const subject = { tenant: "acme", key: "ann/act" };
const start = 1_000_000;

/** What every limiter must do. `open` gives one on an empty place of its own. */
export function limiterConformance(open: () => Promise<OpenLimiter>): readonly ConformanceCase[] {
  const withLimiter = (name: string, check: (limiter: Limiter, reopen: OpenLimiter["reopen"]) => Promise<void>): ConformanceCase => ({
    name,
    async run() {
      const { limiter, reopen, cleanup } = await open();
      try {
        await check(limiter, reopen);
      } finally {
        await cleanup();
      }
    },
  });
  const rate = { count: 2, windowMs: 1_000 };
  const granted = async (limiter: Limiter, at: number) => (await limiter.reserve(subject, rate, start + at)).granted;
  return [
    withLimiter("grants as often as the rate says in a window, then says when to come back", async (limiter) => {
      assert.equal(await granted(limiter, 0), true);
      assert.equal(await granted(limiter, 100), true);
      assert.deepEqual(await limiter.reserve(subject, rate, start + 200), { granted: false, retryAfterMs: 800 });
      assert.equal(await granted(limiter, 999), false);
    }),
    withLimiter("slides: each reservation counts for its own window", async (limiter) => {
      assert.deepEqual([await granted(limiter, 0), await granted(limiter, 900)], [true, true]);
      assert.deepEqual([await granted(limiter, 1_000), await granted(limiter, 1_001)], [true, false]);
      assert.deepEqual([await granted(limiter, 1_899), await granted(limiter, 1_900)], [false, true]);
    }),
    withLimiter("counts a released reservation no more, however often it is released", async (limiter) => {
      await limiter.reserve(subject, rate, start);
      const second = await limiter.reserve(subject, rate, start);
      assert.ok(second.granted);
      await second.release();
      await second.release();
      assert.deepEqual([await granted(limiter, 1), await granted(limiter, 2)], [true, false]);
    }),
    withLimiter("counts what lies in a window, and reserves nothing by it", async (limiter) => {
      const count = (at: number, of = subject) => limiter.count(of, rate.windowMs, start + at);
      assert.equal(await count(0), 0);
      for (const at of [0, 500]) assert.equal(await granted(limiter, at), true);
      assert.deepEqual([await count(999), await count(1_000), await count(1_500)], [2, 1, 0]);
      assert.deepEqual([await count(600, { ...subject, tenant: "other" }), await count(600, { ...subject, key: "bob/act" })], [0, 0]);
    }),
    withLimiter("keeps tenants and keys apart (R-TN-3, R-TN-5)", async (limiter) => {
      const once = { count: 1, windowMs: 1_000 };
      for (const other of [subject, { ...subject, tenant: "other" }, { ...subject, key: "bob/act" }])
        assert.equal((await limiter.reserve(other, once, start)).granted, true);
      assert.equal((await limiter.reserve(subject, once, start)).granted, false);
    }),
    withLimiter("still counts when it is opened anew", async (limiter, reopen) => {
      assert.deepEqual([await granted(limiter, 0), await granted(limiter, 0)], [true, true]);
      assert.equal(await granted(await reopen(), 1), false);
    }),
    withLimiter("never grants more than the count to 100 at once", async (limiter) => {
      const ten = { count: 10, windowMs: 1_000 };
      const all = await Promise.all(Array.from({ length: 100 }, async (_, n) => limiter.reserve(subject, ten, start + (n % 7))));
      assert.equal(all.filter((reservation) => reservation.granted).length, 10);
    }),
  ];
}
