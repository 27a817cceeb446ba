import { expect, test } from "vitest";
import { sortRows } from "./sort-rows.ts";

const at = (row: { readonly at?: number }) => row.at;

test("rows without a value come last, whichever way it goes", () => {
  const rows = [{ at: 2 }, {}, { at: 1 }];
  expect(sortRows(rows, at, false)).toEqual([{ at: 1 }, { at: 2 }, {}]);
  expect(sortRows(rows, at, true)).toEqual([{ at: 2 }, { at: 1 }, {}]);
});

test("numbers within words count as numbers", () => {
  expect(sortRows(["tool10", "tool9"], (name) => name, false)).toEqual(["tool9", "tool10"]);
});

test("without an order rows stay as they came", () => {
  expect(sortRows(["b", "a"], undefined, true)).toEqual(["b", "a"]);
});
