import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { joinContinuedLines } from "./analyse-line.ts";

describe("a backslash at the end of a line", () => {
  test.each([
    ["after a blank", "ls \\\n-la", "ls   -la"],
    ["before a blank", "ls\\\n -la", "ls   -la"],
    ["twice", "ls \\\n\\\n-la", "ls     -la"],
    ["at the end", "ls \\\n", "ls   "],
    ["at the end, behind a word", "ls\\\n", "ls  "],
    ["after an operator", "a &&\\\nb", "a &&  b"],
    ["behind quotes that hold a dollar", "grep 'x$' \\\na", "grep 'x$'   a"],
    ["before a substitution", 'git commit \\\n-m "$(x)"', 'git commit   -m "$(x)"'],
    ["behind a comment of an earlier line", "# it's\nls \\\n-la", "# it's\nls   -la"],
  ])("is a blank %s", (_name, text, expected) => {
    expect(joinContinuedLines(text)).toBe(expected);
  });

  test.each([
    ["inside a word", "git sta\\\ntus"],
    ["behind an escaped backslash", "ls \\\\\n-la"],
    ["behind an escaped blank", "a\\ \\\nb"],
    ["behind an escaped bracket", "a \\(\\\nb"],
    ["inside single quotes", "echo 'a \\\n b'"],
    ["inside double quotes", 'echo "a \\\n b"'],
    ["inside a comment", "# a \\\ntouch x"],
    ["inside a comment after a redirect", "ls ># \\\ntouch x"],
    ["inside a here-document", "cat <<E\na \\\n b\nE"],
    ["inside a substitution", "echo $( \\\nx)"],
    ["inside an operator", "a &\\\n& b"],
    ["between a dollar and its bracket", "echo $\\\n(x)"],
    ["inside quotes of another kind", "echo $'\\' \\\n x'"],
    ["inside a quote that does not end", "echo 'a \\\n b"],
    ["before a comment that a word's end would hide", "ls;\\\n# a \\\ntouch x"],
  ])("stays %s", (_name, text) => {
    expect(joinContinuedLines(text)).toBe(text);
  });

  test("joining moves nothing, and a second time changes nothing", () => {
    const pieces = fc.constantFrom("a", " ", "\\\n", "\\", "\n", "'", '"', "#", "$", "<<", ";", "&", "(", "`");
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join("");
        const joined = joinContinuedLines(text);
        expect(joined).toHaveLength(text.length);
        expect(joinContinuedLines(joined).replaceAll("\\\n", "  ")).toBe(joined.replaceAll("\\\n", "  "));
      }),
    );
  });
});
