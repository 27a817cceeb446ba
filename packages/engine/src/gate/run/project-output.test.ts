import fc from "fast-check";
import { expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import { isLargerThan, jsonPieces } from "./project-output.ts";

it("gives what JSON.stringify gives", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect([...jsonPieces(value as Json)].join("")).toBe(JSON.stringify(value));
    }),
  );
});

it.each([
  ["a long string", "abc\n".repeat(50_000)],
  ["pairs of surrogates where it is cut", `x${"\u{1f600}".repeat(100_000)}`],
  ["a string in the middle", { a: [1, "é".repeat(200_000), null], b: { c: "x" }, d: [], e: {} }],
  ["members that are undefined", { a: undefined, b: 1 } as unknown as Json],
])("gives the same for %s, in small pieces", (_, value) => {
  const pieces = [...jsonPieces(value)];
  expect(pieces.join("") === JSON.stringify(value)).toBe(true);
  for (const piece of pieces) expect(piece.length).toBeLessThan(1_000_000);
});

it("calls nothing large that fits", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(isLargerThan(value as Json, Buffer.byteLength(JSON.stringify(value)))).toBe(false);
    }),
  );
});

it.each([
  ["lists in lists", [[[""]]]],
  ["members that are undefined", { ["x".repeat(100)]: undefined } as unknown as Json],
])("calls %s that just fit not large", (_, value) => {
  expect(isLargerThan(value, Buffer.byteLength(JSON.stringify(value)))).toBe(false);
});

it.each([
  ["a string", "x".repeat(101)],
  ["many members", Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key${index}`, null]))],
  ["many items", Array.from({ length: 101 }, () => 1)],
])("calls %s large that does not", (_, value) => {
  expect(isLargerThan(value as Json, 100)).toBe(true);
});
