import { expect, test } from "vitest";
import { lookInTurn } from "./look-in-turn.ts";

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("what is asked for during a look is one look more, also after one that failed, and none once it is over", async () => {
  const held: PromiseWithResolvers<void>[] = [];
  const told: unknown[] = [];
  let isOver = false;
  const look = lookInTurn(
    () => {
      const next = Promise.withResolvers<void>();
      held.push(next);
      return next.promise;
    },
    { isOver: () => isOver, report: (error) => told.push(error) },
  );
  look();
  look();
  look();
  expect(held).toHaveLength(1);
  held[0]?.reject("away");
  await turn();
  expect([held.length, told]).toEqual([2, ["away"]]);
  held[1]?.resolve();
  await turn();
  expect(held).toHaveLength(2);
  isOver = true;
  look();
  expect(held).toHaveLength(2);
});
