import { describe, expect, it } from "vitest";
import { stepOf } from "./step-of.ts";

describe("a key in a list", () => {
  const place = { at: 5, count: 10, page: 3 };
  it.each([
    ["j", 6],
    ["ArrowDown", 6],
    ["k", 4],
    ["ArrowUp", 4],
    ["Home", 0],
    ["End", 9],
    ["PageDown", 8],
    ["PageUp", 2],
    ["x", undefined],
    ["toString", undefined],
  ])("%s leads to row %s", (key, row) => expect(stepOf(key, place)).toBe(row));

  it("stays within the list", () => {
    expect([stepOf("k", { ...place, at: 0 }), stepOf("j", { ...place, at: 9 }), stepOf("PageDown", { ...place, at: 8 })]).toEqual([
      0, 9, 9,
    ]);
  });
});
