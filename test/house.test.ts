import { expect, test } from "vitest";
import { countHouse, type HouseNumbers } from "../scripts/house.ts";

/** What is there today. Each number only falls; whoever lowers one writes it here. */
const most: Omit<HouseNumbers, "files" | "lines" | "medianLines"> = {
  schemaCasts: 0,
  unknownCasts: 27,
  looseSchemas: 17,
  operationsByHand: 21,
  commandsByHand: 25,
  commandLines: 342,
  unreadExports: 14,
};
const counted = countHouse();

test.each(Object.entries(most))("%s are at most %d", (name, limit) => {
  expect(counted[name as keyof HouseNumbers]).toBeLessThanOrEqual(limit);
});
