import fc from "fast-check";
import { expect, test } from "vitest";
import { findLines } from "./find-lines.ts";

test("finds all places, those that overlap, too", () => {
  const line = fc.constantFrom("a", "b");
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { minLength: 1, maxLength: 4 }), (lines, wanted) => {
      const places = lines.flatMap((_, at) => (wanted.every((each, offset) => lines[at + offset] === each) ? [at] : []));
      expect(findLines(lines, wanted)).toEqual(places);
    }),
  );
});

test.each([
  ["equal lines", (size: number) => Array.from<string>({ length: size }).fill("x")],
  ["equal lines, and another at the end", (size: number) => [...Array.from<string>({ length: size - 1 }).fill("x"), "y"]],
])("compares each line a few times at most: %s", (_name, wantedOf) => {
  for (const size of [1_000, 2_000, 4_000, 8_000]) {
    let compared = 0;
    findLines(Array.from<string>({ length: size }).fill("x"), wantedOf(size / 2), (left, right) => {
      compared += 1;
      return left === right;
    });
    expect(compared).toBeLessThan(6 * size);
  }
});
