import { describe, expect, it } from "vitest";
import { portablePattern } from "./portable-pattern.ts";

describe("a pattern that JavaScript, RE2 and Python read alike", () => {
  it.each<[name: string, pattern: RegExp, portable: string, fits: string[], misfits: string[]]>([
    ["stays as it is", /^[a-z][a-z0-9_-]{0,63}$/, "^[a-z][a-z0-9_-]{0,63}$", ["a-b"], ["-a"]],
    ["has ranges for control characters", /^[^-\s\p{Cc}]+$/u, "^[^-\\s\\x00-\\x1f\\x7f-\\x9f]+$", ["main"], ["a\u0085", "a b"]],
    ["has ranges for a property by itself", /^\P{ASCII}$/u, "^[^\\x00-\\x7f]$", ["é"], ["e"]],
    ["has no names of groups", /^(?<year>\d{4})-(?:a|b)$/, "^(\\d{4})-(?:a|b)$", ["2026-a"], ["2026"]],
    ["has characters for code units and points", /^\u00e9\u{1f600}\ud83d\ude01\x41$/u, "^\\xe9😀😁A$", ["é😀😁A"], ["é"]],
    ["escapes what an escape stood for", /^\u002e\u{5b}$/u, "^\\.\\[$", [".["], ["a["]],
    ["has no escapes that mean nothing", /^\/-_@$/, "^/-_@$", ["/-_@"], ["x"]],
    ["keeps escapes that mean something", /^[\]\-a\\]\.$/, "^[\\]\\-a\\\\]\\.$", ["-.", "\\."], ["b."]],
    ["escapes braces that stand for themselves", /^{a}]$/, "^\\{a\\}\\]$", ["{a}]"], ["a"]],
    ["has no set within a set", /^[[:alpha:]x]]$/, "^[\\[:alpha:]x\\]\\]$", [":x]]"], ["b]"]],
    ["says a backspace, NUL and control letters by number", /^[\b]\0\cJ$/, "^[\\x08]\\x00\\x0a$", ["\b\0\n"], ["b"]],
    ["escapes a hyphen between classes of characters", /^[\w-.]+$/, "^[\\w\\-.]+$", ["a-b.c"], ["a b"]],
    ["has any character for a set that excludes nothing", new RegExp(["^[^", "]$"].join("")), "^[\\s\\S]$", ["\n"], [""]],
  ])("%s", (...[, pattern, portable, fits, misfits]) => {
    expect(portablePattern(pattern.source, pattern.flags)).toBe(portable);
    for (const made of [new RegExp(portable), new RegExp(portable, "u")]) {
      for (const text of fits) expect(made.test(text)).toBe(true);
      for (const text of misfits) expect(made.test(text)).toBe(false);
    }
    expect(portablePattern(portable)).toBe(portable);
  });

  it("has any character for a dot that matches line ends too", () => {
    expect(portablePattern("^a.b[.]$", "s")).toBe("^a[\\s\\S]b[.]$");
  });

  it.each<[name: string, pattern: RegExp]>([
    ["look-ahead", /^(?=a)b/],
    ["negative look-ahead", /^(?!a)b/],
    ["look-behind", /(?<=a)b/],
    ["negative look-behind", /(?<!a)b/],
    ["a back reference", /^(a)\1$/],
    ["a named back reference", /^(?<x>a)\k<x>$/],
    ["a property that ranges cannot say", /^\p{L}+$/u],
    ["a negated property in a set", /^[\P{Cc}]+$/u],
    ["a flag", /^a$/i],
    ["the flag for lines", /^a$/m],
    ["set notation", /^[[a-z]--[aeiou]]$/v],
    ["half of a pair", /^\ud83d$/],
    ["the empty set", new RegExp(["^[", "]$"].join(""))],
    ["a count that RE2 refuses", /^a{1,1001}$/],
    ["a count of counts that RE2 refuses", /^(?:a{100}b){11}$/],
  ])("does not exist for %s", (_, pattern) => expect(portablePattern(pattern.source, pattern.flags)).toBeUndefined());

  it("exists for an open count and for counts beside each other", () => {
    for (const pattern of ["^a{2,}$", "^a{1000}b{1000}$", "^(?:a{10}){100}$", "^a{0}$"]) expect(portablePattern(pattern)).toBe(pattern);
  });
});
