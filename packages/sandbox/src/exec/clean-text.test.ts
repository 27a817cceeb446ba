import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CleanText } from "./capture-output.ts";

const clean = (chunks: readonly Uint8Array[]) => {
  const cleaner = new CleanText();
  return chunks.map((chunk) => cleaner.push(chunk)).join("") + cleaner.end();
};
const cleanText = (text: string) => clean([Buffer.from(text)]);

const rows: [name: string, input: string, expected: string][] = [
  ["plain text with tabs and line ends stays", "a\tb\r\nc\n", "a\tb\r\nc\n"],
  ["colours go", "\x1b[1;31mred\x1b[0m", "red"],
  ["cursor moves and erasures go", "a\x1b[2Kb\x1b[10;20Hc\x1b[?25l", "abc"],
  ["OSC 52 with BEL goes with its payload", "a\x1b]52;c;cm0gLXJmIH4=\x07b", "ab"],
  ["OSC 52 with ST goes with its payload", "a\x1b]52;c;cm0gLXJmIH4=\x1b\\b", "ab"],
  ["OSC 52 in its 8-bit form goes with its payload", "a\u009d52;c;cm0=\u009cb", "ab"],
  ["OSC 8 links keep their text", "\x1b]8;;https://example.org\x07here\x1b]8;;\x07", "here"],
  ["a control string without an end takes its line only", "a\x1b]0;title\nb", "a\nb"],
  ["DCS, SOS, PM and APC go", "\x1bPq#0\x1b\\1\x1bXx\x1b\\2\x1b^y\x1b\\3\x1b_z\x1b\\4", "1234"],
  ["two-character escapes and charset changes go", "\x1bcA\x1b(0B\x1b=C", "ABC"],
  ["an 8-bit control sequence goes", "\u009b31mred", "red"],
  ["backspace, bell, NUL and DEL go", "a\bb\x07c\0d\x7fe", "abcde"],
  ["a lone carriage return becomes a line end", "10%\r20%\r\n", "10%\n20%\r\n"],
  ["an escape inside an escape does not survive", "\x1b[3\x1b[31m1mx", "1mx"],
  ["broken UTF-8 becomes the replacement character", "é", "é"],
];

describe("CleanText", () => {
  test.each(rows)("%s (R-EX-11)", (_, input, expected) => expect(cleanText(input)).toBe(expected));

  test("bytes that are no UTF-8 become replacement characters", () => expect(clean([Uint8Array.of(0x61, 0xff, 0x62)])).toBe("a\ufffdb"));

  const piece = fc.constantFrom(..."a;0[]P\\^_(m52", "\x1b", "\x07", "\n", "\r", "\u009b", "\u009d", "\u009c", "é", "😀", "\x18");
  const pieces = fc.array(piece, { maxLength: 60 }).map((parts) => parts.join(""));

  test("no control but tab and line ends is ever left (R-EX-11)", () => {
    fc.assert(
      fc.property(pieces, (text) => !/(?![\t\n\r])\p{Cc}|\r(?!\n)/u.test(cleanText(text))),
      { numRuns: 2000 },
    );
  });

  test("the chunks a stream comes in do not change the text", () => {
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 5 }), (text, size) => {
        const bytes = Buffer.from(text);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
        expect(clean(chunks)).toBe(cleanText(text));
      }),
      { numRuns: 2000 },
    );
  });

  test("hostile repetitions are cleaned in linear time", () => {
    const started = performance.now();
    for (const seed of ["\u009d", "\x1b]", "\x1b[", "\x1b[0;", "\x1b", "\r"]) cleanText(seed.repeat(200_000));
    expect(performance.now() - started).toBeLessThan(3_000);
  });
});
