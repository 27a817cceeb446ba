import { describe, expect, test } from "vitest";
import { decodeWord } from "../words/decode-word.ts";
import { compilePattern, matchPattern, suggestPattern } from "./command-rules.ts";

const argv = (line: string) => line.split(" ").map((raw) => decodeWord(raw));
const matches = (pattern: string, line: string) => {
  const compiled = compilePattern(pattern);
  return compiled !== undefined && matchPattern(compiled, argv(line)) !== undefined;
};

describe("patterns are matched on words (R-EX-5)", () => {
  test.each([
    ["a lone last star means any further words", "git log *", "git log --oneline", true],
    ["and also none", "git log *", "git log", true],
    ["word* is exactly that word", "ls*", "lsof", false],
    ["and then any words", "ls*", "ls -la src", true],
    ["a subcommand does not extend", "git diff*", "git difftool", false],
    ["a star in a word stays in one word", "python3 scripts/* *", "python3 scripts/a.py b c", true],
    ["and does not cross a slash", "python3 scripts/*", "python3 scripts/a/b.py", false],
    ["nor accepts two dots", "rm build/*", "rm build/..", false],
    ["no wildcard means exact", "npm test", "npm test --watch", false],
    ["options are not covered by a word", "rm build/*", "rm -rf build/x", false],
    ["a leading star in a word is no option", "rm * a", "rm -rf a", false],
    ["a question mark is one character", "cat file?.txt", "cat file1.txt", true],
    ["words in quotes are literal", "echo '*'", "echo \\*", true],
    ["and match nothing else", "echo '*'", "echo a", false],
    ["case counts", "git status*", "GIT status", false],
    ["a URL prefix covers its paths", "curl https://a.example/*", "curl https://a.example/x/y", true],
    ["and no other host", "curl https://a.example/*", "curl https://a.example.evil/x", false],
    ["and no user info", "curl https://a.example/*", "curl https://a.example/@b.example", false],
  ])("%s", (_name, pattern, line, expected) => {
    expect(matches(pattern, line)).toBe(expected);
  });

  test.each(["", "   ", "*", "* status", "*/git status*", "g?t status"])("the pattern %j covers nothing", (pattern) => {
    expect(compilePattern(pattern)).toBeUndefined();
  });

  test("the suggested pattern covers exactly the command it was made for", () => {
    for (const words of [
      ["npm", "test"],
      ["echo", "a b", "*"],
      ["git", "commit", "-m", 'say "x"'],
    ]) {
      const decoded = words.map((text) => ({ text, glob: false, tilde: false, splitQuotes: false }));
      const pattern = compilePattern(suggestPattern(decoded) ?? "");
      expect(pattern?.exact).toBe(true);
      expect(pattern && matchPattern(pattern, decoded)?.exact).toBe(true);
    }
  });
});
