import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linearPattern, mostPatternSteps, patternSteps } from "./linear-pattern.ts";

function compile(source: string) {
  const pattern = linearPattern(source);
  if ("problem" in pattern) throw new Error(`${source} ${pattern.problem}`);
  return pattern;
}

describe("a pattern in linear time", () => {
  test.each([
    "",
    "a",
    "^a$",
    "^$",
    "a|b|",
    "^(?:a|bc)*$",
    "^(a+)+$",
    "a{2}",
    "^a{2,}$",
    "^a{0,2}b?$",
    "^(?:ab?){2,3}$",
    "a+?b*?",
    "\\bfoo\\b",
    "\\Boo\\B",
    "^[a-z0-9_-]{1,64}$",
    "^[^\\]x]*$",
    "^.$",
    "^\\s*$",
    "\\d{3}-\\d{4}",
    "^\\p{L}+$",
    "^\\P{Script=Greek}$",
    "^\\u{1F600}$",
    "^\\uD83D\\uDE00$",
    "\\u00e9|\\x41|\\cA|\\0|\\t",
    "^(?<year>\\d{4})$",
    "(?:^|,)x(?:,|$)",
    "(?:a*)*b",
    "(?:\\b|a)+x",
    "^(?:){3}$",
    "[]|a",
    "^[^]$",
  ])("%s matches what JavaScript matches", (source) => {
    const [linear, native] = [compile(source), new RegExp(source, "u")];
    const character = fc.constantFrom(..."abcfoxAZ019_-,. \n\r\t\u2028\u00a0\ufeffé😀\ud83dαω]\x01\0");
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 8 }), (text) => {
        expect([text, linear.test(text)]).toEqual([text, native.test(text)]);
      }),
      { numRuns: 150 },
    );
  });

  test("random patterns match what JavaScript matches", () => {
    const leaf = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\w", "^", "$", "\\b", "\\B", "");
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        leaf,
        fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `${left}${right}`),
        fc.tuple(tie("pattern"), tie("pattern")).map(([left, right]) => `(?:${left}|${right})`),
        fc
          .tuple(tie("pattern"), fc.constantFrom("*", "+", "?", "{2}", "{1,3}", "{2,}", "*?"))
          .map(([inner, count]) => `(?:${inner})${count}`),
      ),
    }));
    fc.assert(
      fc.property(pattern, fc.string({ unit: fc.constantFrom("a", "b", " ", "\n"), maxLength: 7 }), (source, text) => {
        expect([source, text, compile(source).test(text)]).toEqual([source, text, new RegExp(source, "u").test(text)]);
      }),
      { numRuns: 1_000 },
    );
  });

  test.each([
    ["^[\\w-.]+$", "a-b.c", true],
    ["^\\-\\/\\@$", "-/@", true],
    ["^{a}$", "{a}", true],
    ["^]$", "]", true],
  ])("%s, which JavaScript reads without the flag u alone, is read as it means", (source, text, expected) => {
    expect(compile(source).test(text)).toBe(expected);
  });
});

describe("what no state machine can hold is refused with the reason", () => {
  test.each([
    ["(?=a)b", /looks ahead or behind/],
    ["(?!a)b", /looks ahead or behind/],
    ["(?<=a)b", /looks ahead or behind/],
    ["(?<!a)b", /looks ahead or behind/],
    ["(a)\\1", /refers back/],
    ["(?<x>a)\\k<x>", /refers back/],
    ["(?i:a)", /sets flags/],
    ["a{30000}", /counts.*20000 states/],
    ["((a{100}){100}){100}", /counts/],
    ["((?:){99999}){99999}", /counts/],
    ["(", /is no regular expression/],
    [`${"(".repeat(300)}${")".repeat(300)}`, /deeper than 200/],
    ["a".repeat(20_001), /longer than 20000/],
  ])("%s", (source, problem) => {
    expect(linearPattern(source)).toMatchObject({ problem: expect.stringMatching(problem), fix: expect.stringMatching(/\.$/) });
  });
});

/** Patterns that take an engine with backtracking time beyond all bounds, and the text that does it. */
const backtracking: readonly (readonly [string, string])[] = [
  ["(a+)+$", "a"],
  ["(a*)*$", "a"],
  ["(a|a)*$", "a"],
  ["(a|aa)+$", "a"],
  ["(.*)*x$", "a"],
  ["([a-z]+)*$", "a"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "a"],
  ["(\\w+\\s?)+$", "a"],
  ["(?:a?){30}a{30}$", "a"],
  ["^(?:.*a){12}$", "a"],
];

describe("steps", () => {
  test.each(backtracking)("%s takes a number of steps for each character that does not grow", async (source, character) => {
    const pattern = compile(source);
    const counted: number[] = [];
    for (const size of [1_000, 2_000, 4_000, 8_000]) {
      await Promise.resolve();
      const before = patternSteps();
      pattern.test(`${character.repeat(size)}!`);
      counted.push((patternSteps() - before) / size);
    }
    expect(Math.max(...counted)).toBeLessThan(20);
  });

  test("a text that costs too many of them is refused, and the next stretch has its own", async () => {
    const pattern = compile("[a-z]{1,10000}!");
    const text = "a".repeat(100_000);
    expect(() => pattern.test(text)).toThrow(/text of 100000 characters takes more than 10000000 steps/);
    expect(patternSteps()).toBeLessThan(mostPatternSteps + 100_000);
    await Promise.resolve();
    expect(pattern.test("abc!")).toBe(true);
  });

  test("texts of ordinary patterns cost a step for each character", async () => {
    const pattern = compile("^[a-z0-9_-]{1,64}$");
    pattern.test("some-name_12");
    await Promise.resolve();
    const before = patternSteps();
    for (let count = 0; count < 100; count += 1) pattern.test("some-name_12");
    expect(patternSteps() - before).toBe(100 * 12);
  });
});
