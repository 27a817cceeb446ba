import { expect, test } from "vitest";
import { WriteLedger } from "./write-ledger.ts";

/** Each look: what each process has written, as the kernel says, and who its parent is. */
function lookAt(looks: readonly Readonly<Record<number, readonly [parent: number, bytes: number]>>[]): number[] {
  let now = looks[0]!;
  const ledger = new WriteLedger((pid) => now[pid]![1]);
  return looks.map((look) => {
    now = look;
    return ledger.add(Object.entries(look).map(([pid, [parent]]) => ({ pid: Number(pid), parent })));
  });
}

test("R-SB-11 what processes write is added up", () => {
  expect(
    lookAt([
      { 1: [0, 10], 2: [1, 5] },
      { 1: [0, 20], 2: [1, 5] },
    ]),
  ).toEqual([15, 25]);
});

test("R-SB-11 what a child wrote counts once, although its parent has it after waiting for it", () => {
  expect(lookAt([{ 1: [0, 0], 2: [1, 50] }, { 1: [0, 60] }, { 1: [0, 60], 3: [1, 5] }])).toEqual([50, 60, 65]);
});

test("R-SB-11 what a child wrote stays counted when nobody waited for it", () => {
  expect(
    lookAt([
      { 1: [0, 0], 2: [1, 50] },
      { 1: [0, 0], 3: [1, 50] },
      { 1: [0, 0], 4: [1, 50] },
    ]),
  ).toEqual([50, 100, 150]);
});

test("R-SB-11 the nearest process above inherits where the parent ended, too", () => {
  expect(lookAt([{ 1: [0, 0], 2: [1, 10], 3: [2, 50] }, { 1: [0, 62] }])).toEqual([60, 62]);
});
