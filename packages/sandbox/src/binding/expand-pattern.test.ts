import { expandBraces } from "@toolwright/commands/targets";
import { describe, expect, test } from "vitest";
import { compileName } from "./name-pattern.ts";

describe("braces, as bash expands them", () => {
  test.each<[pattern: string, words: string[]]>([
    ["a{b,c}d", ["abd", "acd"]],
    ["{a,b}{1,2}", ["a1", "a2", "b1", "b2"]],
    ["{a,{b,c}}", ["a", "b", "c"]],
    ["{a,}", ["a", ""]],
    ["{1..3}", ["1", "2", "3"]],
    ["{3..1}", ["3", "2", "1"]],
    ["{01..3}", ["01", "02", "03"]],
    ["{a..e..2}", ["a", "c", "e"]],
    ["{a}", ["{a}"]],
    ["{}", ["{}"]],
    ["{a", ["{a"]],
    ["\\{a,b}", ["\\{a,b}"]],
    ["{a\\,b,c}", ["a\\,b", "c"]],
    ["x{y{a,b}", ["x{ya", "x{yb"]],
  ])("%s", (pattern, words) => expect(expandBraces(pattern)).toEqual(words));

  test("more words than are looked at are none", () => {
    expect(expandBraces("{1..1000000}")).toBeUndefined();
    expect(expandBraces("{a,b}".repeat(30))).toBeUndefined();
  });
});

describe("names, as bash matches them", () => {
  test.each<[pattern: string, fits: string[], fails: string[]]>([
    ["zz*", ["zz", "zza"], ["az", ".zz", "ZZ"]],
    ["*", ["a", "a.b"], [".a"]],
    [".*", [".a"], ["a"]],
    ["[.]a", [], [".a"]],
    ["?", ["a", "é", "𝄞"], ["", "ab"]],
    ["[ab]c", ["ac", "bc"], ["cc", "c"]],
    ["[!ab]c", ["cc"], ["ac"]],
    ["[^ab]c", ["cc"], ["bc"]],
    ["[a-c]", ["b"], ["d"]],
    ["[]a]", ["]", "a"], ["b"]],
    ["[[:digit:]]x", ["1x"], ["ax"]],
    ["[a", ["[a"], ["a"]],
    ["\\*", ["*"], ["a"]],
    ["a*b*c", ["abc", "axxbyyc"], ["ac", "acb"]],
    ["*.tar.gz", ["a.tar.gz"], ["a.gz"]],
  ])("%s", (pattern, fits, fails) => {
    const test = compileName(pattern, { generous: false });
    expect(fits.filter((name) => !test(name))).toEqual([]);
    expect(fails.filter(test)).toEqual([]);
  });

  test("generously, dots and case make no difference", () => {
    expect(compileName("zz*", { generous: true })("ZZ.txt")).toBe(true);
    expect(compileName("*", { generous: true })(".env")).toBe(true);
  });

  test("a pattern of many stars takes time in proportion", () => {
    const started = performance.now();
    expect(compileName(`${"*a".repeat(100)}b`, { generous: false })("a".repeat(255))).toBe(false);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
