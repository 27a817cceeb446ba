import { parse } from "unbash";
import { describe, expect, test } from "vitest";
import { maxCommands, maxWords, readLine } from "./analyse-line.ts";

const read = (line: string) => {
  const reading = readLine(line);
  return reading.ok ? reading.commands.map(({ argv }) => argv.map(({ text }) => text)) : reading.effect;
};

describe("a line is read as simple commands (R-EX-4)", () => {
  test.each([
    ["a sequence", "a; b && c || d", [["a"], ["b"], ["c"], ["d"]]],
    ["a pipeline", "a x | b | c", [["a", "x"], ["b"], ["c"]]],
    ["groups", "(a; b) && { c; }", [["a"], ["b"], ["c"]]],
    ["quotes and escapes", `a 'b c' "d e" f\\ g h'i'"j"`, [["a", "b c", "d e", "f g", "hij"]]],
    ["escapes in double quotes", 'a "\\$x \\" \\n $"', [["a", '$x " \\n $']]],
    ["negation and time", "! a; time b", [["a"], ["b"]]],
    ["comments", "a # b; c\nd", [["a"], ["d"]]],
    ["several lines", "a\n\nb\n", [["a"], ["b"]]],
    ["literal braces", "xargs -I{} a HEAD@{1}", [["xargs", "-I{}", "a", "HEAD@{1}"]]],
    ["a here-document", "a <<'E'\n$(x)\nE\nb", [["a"], ["b"]]],
    ["groups with redirects", "{ (a) 2>&1; b; } 2>/dev/null | c", [["a"], ["b"], ["c"]]],
    ["a continued line", "a \\\n  b && \\\n c", [["a", "b"], ["c"]]],
    ["brackets in comments", "(a) # ) {\nb", [["a"], ["b"]]],
  ])("%s", (_name, line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  test.each([
    ["a process substitution that the parser takes for a word", "ls 2>(rm x)"],
    ["a substitution", "a $(b)"],
    ["a substitution in double quotes", 'a "$(b)"'],
    ["backticks", "a `b`"],
    ["a variable", "a $b"],
    ["brace expansion", "a {b,c}"],
    ["ANSI-C quotes", "a $'\\x41'"],
    ["locale quotes", 'a $"b"'],
    ["a function", "a() { b; }; a"],
    ["a loop", "for i in 1; do a; done"],
    ["a condition", "if a; then b; fi"],
    ["a background command", "a & b"],
    ["a coprocess", "coproc a"],
    ["an array", "a=(b c)"],
    ["an indexed assignment", "a[1]=b"],
    ["a line that is continued inside a word", "a b\\\nc"],
    ["an extended glob", "a @(b|c)"],
    ["a test command", "[[ -n a ]]"],
    ["arithmetic", "((a=1))"],
    ["a descriptor in a variable", "a {fd}> b"],
    ["a group that is given an input", "(a) < b"],
    ["a number that is the descriptor of the next redirect", "a <2>&1"],
    ["a word glued to a descriptor that is closed", "a <&-b"],
    ["a target that bash expands twice", "a >&'b$(c)'"],
    ["a here-document that expands", "a <<E\n$(b)\nE"],
  ])("%s asks (R-EX-3)", (_name, line) => {
    expect(read(line)).toBe("ask");
  });

  test.each([
    ["an open quote", 'a "b'],
    ["a dangling operator", "a &&"],
    ["a here-document that does not end", "a <<E\nb"],
    ["a here-document whose marker is not alone", "a <<'E'\nb\nE )"],
    ["a here-document whose marker is indented", "a <<E\nb\n\tE"],
    ["the second of two here-documents, without its end", "a <<A <<B\nx\nA\ny"],
    ["a here-document without any body", "a <<E"],
    ["an open here-document in a substitution", 'a "$(b <<E\nc)"'],
    ["an open block", "if a; then b"],
    ["a bracket that opens nothing", "a ("],
    ["a negation of nothing", "! && a"],
    ["a redirect of a group that is not apart", "{ a; }2>&1"],
    ["a bracket that opens nothing before a command", "a ( ; b"],
    ["deep groups", `${"( ".repeat(17)}a${" )".repeat(17)}`],
    ["nothing", "  \n\t"],
    ["only a comment", "# a"],
    ["deep nesting", `a ${"$(".repeat(300)}${")".repeat(300)}`],
    ["a carriage return", "a\r\nb"],
    ["a NUL", "a\0b"],
    ["an escape sequence", "a \u001b[2K"],
    ["a bidirectional override", "a \u202eb"],
    ["a zero-width space", "a\u200b"],
    ["a no-break space", "a\u00a0b"],
    ["a lone surrogate", "a \ud800"],
    ["tag characters", "a \u{e0074}"],
    ["a joiner outside a picture", "a b\u200dc"],
    ["mixed alphabets", "g\u0456t status"],
    ["a program's name that is not ASCII", "\uff47it status"],
    ["40 kB", `echo ${"a".repeat(40_000)}`],
  ])("%s is refused (R-EX-2)", (_name, line) => {
    expect(read(line)).toBe("deny");
  });

  test("a line with too many commands asks, none is skipped", () => {
    expect(read(Array(maxCommands).fill("true").join(";"))).toHaveLength(maxCommands);
    for (const operator of [";", "&&", "|", "\n"]) expect(read(["true", ...Array(maxCommands).fill("true")].join(operator))).toBe("ask");
    expect(read(`ls ${"a ".repeat(maxWords)}`)).toBe("ask");
  });

  test("an exception inside the parser asks (R-EX-3)", () => {
    const reading = readLine("ls", {}, () => {
      throw new RangeError("Maximum call stack size exceeded");
    });
    expect(reading).toMatchObject({ ok: false, effect: "ask" });
  });

  test("a parser that loses part of the line asks (R-EX-3)", () => {
    const reading = readLine("ls; rm -rf x", {}, (source) => ({ ...parse(source), commands: parse(source).commands.slice(0, 1) }));
    expect(reading).toMatchObject({ ok: false, effect: "ask" });
  });
});
