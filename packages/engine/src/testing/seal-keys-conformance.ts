import assert from "node:assert/strict";
import type { SealKeys } from "../ports/seal-keys.ts";
import type { ConformanceCase } from "./conformance-case.ts";

interface OpenSealKeys {
  readonly keys: SealKeys;
  /** The keys of another process on the same place. */
  readonly reopen: () => Promise<SealKeys>;
}

/** What all keys that seal must do. */
export function sealKeysConformance(open: () => Promise<OpenSealKeys>): readonly ConformanceCase[] {
  const withKeys = (name: string, check: (opened: OpenSealKeys) => Promise<void>): ConformanceCase => ({
    name,
    run: async () => check(await open()),
  });
  return [
    withKeys("has one key that seals, of 32 bytes, and finds it", async ({ keys }) => {
      const [first, second] = await Promise.all([keys.current(), keys.current()]);
      assert.equal(first.key.length, 32);
      assert.match(first.id, /^[0-9a-z]{1,64}$/);
      assert.deepEqual(second, first);
      assert.deepEqual(await keys.find(first.id), first);
    }),
    withKeys("finds none that it does not have", async ({ keys }) => {
      await keys.current();
      for (const id of ["", "0", "0123456789abcdef", "x'; drop"]) assert.equal(await keys.find(id), undefined);
    }),
    withKeys("shares its keys with other processes", async ({ keys, reopen }) => {
      const mine = await keys.current();
      const other = await reopen();
      assert.deepEqual(await other.find(mine.id), mine);
      assert.deepEqual(await keys.find((await other.current()).id), await other.current());
    }),
  ];
}
