import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isoDateOf, plainText } from "./plain-text.ts";

describe("a text of a search result", () => {
  test.each([
    ["words that are marked", "The <strong>quick</strong>er <b>fox</b>", "The quicker fox"],
    ["parts that are set apart", 'one<br/>two<p class="x">three</p><!-- no -->four', "one two three four"],
    ["entities", "Tom &amp; &quot;Jerry&quot; &#39;s &#x1F600; &unknown; &#xD800;", 'Tom & "Jerry" \'s 😀 &unknown; &#xD800;'],
    ["what is written as text", "use &lt;b&gt; here, if a < b", "use <b> here, if a < b"],
    ["control characters and line breaks", "a\u0000b\u001b[31mc\r\nd\te\u2028f", "a b [31mc d e f"],
    ["what is not seen", "a\u200bb\u202ec\u{e0041}d\ufeffe\u00adf", "abcdef"],
    ["half of a character", "a\ud83d", "a\ufffd"],
    ["nothing", "", ""],
  ])("is plain: %s", (_, text, expected) => expect(plainText(text, 100)).toBe(expected));

  test.each([null, undefined, 7, ["a"], { a: 1 }])("is empty for what is no text: %j", (value) => expect(plainText(value, 100)).toBe(""));

  test("is cut at its length, and not through a character", () => {
    expect(plainText("abcdef", 4)).toBe("abc…");
    expect(plainText(`ab😀def`, 4)).toBe("ab…");
  });

  test("holds neither control nor invisible characters, whatever it is made of, and is never longer than it may be", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (text, most) => {
        const plain = plainText(text, most);
        expect(plain).not.toMatch(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u);
        expect(plain.length).toBeLessThanOrEqual(most);
        expect(plain.isWellFormed()).toBe(true);
      }),
    );
  });

  test("costs little, whatever it is made of", () => {
    const started = performance.now();
    for (const text of ["<".repeat(1_000_000), "<!--".repeat(250_000), "<a ".repeat(300_000), "&#".repeat(500_000)]) plainText(text, 1_000);
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe("a date of a search result", () => {
  test.each([
    ["2023-11-16T01:36:32.547Z", "2023-11-16"],
    ["2024-02-29", "2024-02-29"],
    ["2025-01-15T08:00:00", "2025-01-15"],
    ["2025-01-15 08:00:00+00:00", "2025-01-15"],
    ["Tue, 02 Jan 2024 10:00:00 GMT", "2024-01-02"],
    ["2 Jan 2024 23:00:00 GMT", "2024-01-02"],
  ])("%s is %s", (text, expected) => expect(isoDateOf(text)).toBe(expected));

  test.each([
    "",
    "yesterday",
    "3 days ago",
    "01/02/2024",
    "2023-02-31",
    "2023-13-01",
    "20240102",
    "Jan 2024",
    `2024-01-02T${"0".repeat(99)}`,
    1704153600,
    null,
  ])("%j is none", (value) => expect(isoDateOf(value)).toBeUndefined());
});
