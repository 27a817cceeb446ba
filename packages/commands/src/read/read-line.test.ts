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
    ["a dollar that begins nothing", 'a "b$\\|c$" "d$)"', [["a", "b$\\|c$", "d$)"]]],
    ["exit statuses", `a $? "b: $?" \${PIPESTATUS[0]} "$PIPESTATUS"`, [["a", "$?", "b: $?", `\${PIPESTATUS[0]}`, "$PIPESTATUS"]]],
    [
      "a condition with all its branches",
      "if a; then b; elif c && d\nthen e; else\n  f; g\nfi; h",
      [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["g"], ["h"]],
    ],
    ["a condition in a condition", "if a; then if b; then c; fi; fi | d", [["a"], ["b"], ["c"], ["d"]]],
    [
      "a condition in a loop",
      "for f in x; do if [ -f $f ]; then a $f; fi; done",
      [
        ["[", "-f", "x", "]"],
        ["a", "x"],
      ],
    ],
    ["a double-bracket test", `[[ -f a && ! -d "b" || c != 'd' ]] && e`, [["test", "-f", "a", "-d", "b", "c", "!=", "d"], ["e"]]],
    ["brace words", "a b/{c,d}.x {e,{f,g}}", [["a", "b/c.x", "b/d.x", "e", "f", "g"]]],
    [
      "a loop over words",
      `for f in a b; do x "$f"; y \${f}.z; done`,
      [
        ["x", "a"],
        ["y", "a.z"],
        ["x", "b"],
        ["y", "b.z"],
      ],
    ],
    [
      "a loop over lines",
      "for f in a b\ndo\n  x $f\ndone",
      [
        ["x", "a"],
        ["x", "b"],
      ],
    ],
    ["a loop over brace words", "for f in {a,b}.c; do x $f; done | y", [["x", "a.c"], ["x", "b.c"], ["y"]]],
    [
      "a loop in a loop",
      "for f in a b; do for g in c d; do x $f/$g; done; done; y",
      [["x", "a/c"], ["x", "a/d"], ["x", "b/c"], ["x", "b/d"], ["y"]],
    ],
    [
      "what prints its last words",
      "cat -b $(c d)",
      [
        ["c", "d"],
        ["cat", "-b"],
      ],
    ],
    ["what prints its last word", 'cat "$(c d)"', [["c", "d"], ["cat"]]],
  ])("%s", (_name, line, expected) => {
    expect(read(line)).toEqual(expected);
  });

  test.each([
    ["a process substitution that the parser takes for a word", "ls 2>(rm x)"],
    ["a substitution for a program that may do more than read", "a $(b)"],
    ["a substitution that is not last", "cat $(b) c"],
    ["a substitution in a word", "cat x$(b)"],
    ["a substitution in double quotes with more", 'cat "x $(b)"'],
    ["two substitutions", "cat $(b) $(c)"],
    ["a substitution of several commands", "cat $(b; c)"],
    ["a substitution of a pipeline", "cat $(b | c)"],
    ["a substitution that names the program", "$(b)"],
    ["a substitution with an input", "x | cat $(b)"],
    ["backticks", "a `b`"],
    ["a variable", "a $b"],
    ["braces with a range", "a {1..3}"],
    ["braces of options", "a {-b,c}"],
    ["braces with quotes", "a {'b c',d}"],
    ["braces that climb", "a {..,b}/c"],
    ["ANSI-C quotes", "a $'\\x41'"],
    ["locale quotes", 'a $"b"'],
    ["a function", "a() { b; }; a"],
    ["a loop over a pattern", "for f in *; do a; done"],
    ["a loop over options", "for f in -a; do b $f; done"],
    ["a loop over words with blanks", "for f in 'a b'; do c $f; done"],
    ["a loop over arguments", "for f; do a; done"],
    ["a loop over what a command prints", "for f in $(a); do b $f; done"],
    ["a loop whose variable programs obey", "for PATH in a; do b; done"],
    ["a loop whose variable a shell obeys", "for path in a; do b; done"],
    ["a loop that sets its variable", "for f in a b; do f=c; d $f; done"],
    ["a loop that sets its variable for a command", "for f in a b; do f=c d $f; done"],
    ["a loop that reads its variable", "for f in a b; do read f; c $f; done"],
    ["a loop that prints into its variable", "for f in a b; do printf -v f c; d $f; done"],
    ["a loop that reads its variable behind a builtin", "for f in a b; do builtin read f; c $f; done"],
    ["a loop that evaluates", "for f in a b; do eval f=c; d $f; done"],
    ["the variable of a loop behind it", "for f in a; do b; done; c $f"],
    ["a loop in braces", "for f in a; { b $f; }"],
    ["a loop of more commands than are judged", `for f in ${"a ".repeat(300)}; do b; done`],
    ["a while loop", "while a; do b; done"],
    ["a condition with a redirect", "if a; then b; fi > c"],
    ["a condition with a group in it", "if a; then (b); fi"],
    ["a choice", "case a in a) b;; esac"],
    ["a background command", "a & b"],
    ["a coprocess", "coproc a"],
    ["an array", "a=(b c)"],
    ["an indexed assignment", "a[1]=b"],
    ["a line that is continued inside a word", "a b\\\nc"],
    ["an extended glob", "a @(b|c)"],
    ["a test of an expansion", "[[ -n $(a) ]]"],
    ["a test of a variable", "[[ -n $a ]]"],
    ["a test that evaluates a number", "[[ a -eq 1 ]]"],
    ["a test that evaluates an index", "[[ -v 'a[b]' ]]"],
    ["a test of a pattern", "[[ a == b* ]]"],
    ["a test of a regular expression", "[[ a =~ b ]]"],
    ["a test in brackets", "[[ ( -f a ) ]]"],
    ["a test with a redirect", "[[ -f a ]] 2>b"],
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
