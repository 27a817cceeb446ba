import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shellWord } from "./shell-word.ts";

/** What a shell passes on, each word with what no text has after it. */
function readByShell(words: readonly string[]): string[] {
  const { stdout, stderr, status } = spawnSync("sh", ["-c", `printf '%s\\0' ${words.map(shellWord).join(" ")}`], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout.split("\0").slice(0, -1);
}

const hard = [
  "",
  "'",
  "''",
  '"',
  "$HOME",
  "$(id)",
  "`id`",
  "-n",
  "--help",
  "a b",
  "a\nb",
  "\n",
  "\\",
  "\\'",
  "!x",
  "~",
  "*",
  "#a",
  "a;b",
  "%s",
  "=a",
];

test("a shell reads the words that were written, whatever they hold", () => {
  expect(readByShell(hard)).toEqual(hard);
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: fc.constantFrom(..."'\"\\$`-!#*?~;&|<>(){}[] \n\t\r=%a€") }));
  // No word of a shell has a NUL (POSIX: they end with one), and what is no Unicode has no bytes.
  const word = text.map((each) => each.replaceAll("\0", "").toWellFormed());
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 100 }), (words) => {
      expect(readByShell(words)).toEqual(words);
    }),
    { numRuns: 20 },
  );
});
