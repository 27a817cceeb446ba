import { describe, expect, test } from "vitest";
import { compareValues, showPair } from "./compare-values.ts";

describe("two values differ", () => {
  test.each([
    { name: "nowhere", one: { a: [1, { b: null }] }, other: { a: [1, { b: null }] }, found: [] },
    { name: "not by the order of members", one: { a: 1, b: 2 }, other: { b: 2, a: 1 }, found: [] },
    { name: "as a whole", one: 1, other: "1", found: [{ path: "", kind: "changed", one: 1, other: "1" }] },
    { name: "by a member more", one: {}, other: { a: 1 }, found: [{ path: "/a", kind: "added", other: 1 }] },
    { name: "by a member less", one: { a: null }, other: {}, found: [{ path: "/a", kind: "removed", one: null }] },
    {
      name: "deep",
      one: { a: { "b/~": 1 } },
      other: { a: { "b/~": 2 } },
      found: [{ path: "/a/b~1~0", kind: "changed", one: 1, other: 2 }],
    },
    { name: "in their kind", one: { a: [] }, other: { a: {} }, found: [{ path: "/a", kind: "changed", one: [], other: {} }] },
    { name: "by an item more in front", one: [1, 2], other: [0, 1, 2], found: [{ path: "/0", kind: "added", other: 0 }] },
    { name: "by an item less in the middle", one: [1, 2, 3], other: [1, 3], found: [{ path: "/1", kind: "removed", one: 2 }] },
    { name: "within an item", one: [{ a: 1 }, 2], other: [{ a: 3 }, 2], found: [{ path: "/0/a", kind: "changed", one: 1, other: 3 }] },
    { name: "by one of the same", one: [1, 1], other: [1], found: [{ path: "/1", kind: "removed", one: 1 }] },
    {
      name: "by names that objects are born with",
      one: {},
      other: JSON.parse('{"toString": 1}'),
      found: [{ path: "/toString", kind: "added", other: 1 }],
    },
  ])("$name", ({ one, other, found }) => {
    expect(compareValues(one, other)).toEqual(found);
  });
});

test("of long texts the part is shown where they begin to differ", () => {
  const same = "a".repeat(1_000);
  const [one, other] = showPair(`${same}b`, `${same}c`);
  expect([one, other]).toEqual([`… ${"a".repeat(40)}b`, `… ${"a".repeat(40)}c`]);
  expect(showPair("x".repeat(500), undefined)).toEqual([`${"x".repeat(400)} … (500 characters)`, ""]);
});
