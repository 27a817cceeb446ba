import fc from "fast-check";
import { expect, test } from "vitest";
import { letterRules, matchList } from "./match-list.ts";

test("matches what an expression with the same wildcards matches", () => {
  const letters = fc.array(fc.constantFrom("a", "b"), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "*", "?"), { maxLength: 6 }), letters, (pattern, values) => {
      const native = new RegExp(`^${pattern.join("").replaceAll("*", ".*").replaceAll("?", ".")}$`);
      expect(matchList(pattern, values, letterRules)).toBe(native.test(values.join("")));
    }),
  );
});

test("compares no more often than the product of both lengths", () => {
  for (const size of [100, 200, 400, 800]) {
    let compared = 0;
    const isOne = (item: string, value: string) => {
      compared += 1;
      return letterRules.isOne(item, value);
    };
    const pattern = [..."*a".repeat(20), "b"];
    expect(matchList(pattern, Array.from("a".repeat(size)), { ...letterRules, isOne })).toBe(false);
    expect(compared).toBeLessThan(size * pattern.length);
  }
});
