import { describe, expect, test } from "vitest";
import { commandsOf } from "./shell-commands.ts";

const patternsOf = (line: string) => commandsOf(line).flatMap((words) => words.flatMap(({ pattern }) => pattern ?? []));
const textsOf = (line: string) => commandsOf(line).map((words) => words.map(({ text }) => text));

describe("the patterns of a line", () => {
  test.each<[line: string, patterns: string[]]>([
    ["rm zz*", ["zz*"]],
    ["rm -- zz? a[bc]", ["zz?", "a[bc]"]],
    ["rm {a,b}*.txt", ["{a,b}*.txt"]],
    ["cat 'zz*' \"yy*\" \\*", []],
    ["rm zz'*'*", ["zz\\**"]],
    ['rm "my dir"/*.txt', ["my dir/*.txt"]],
    ['rm "$D"/*.txt', ["*/*.txt"]],
    ["rm $" + "{D}x*", ["*x*"]],
    ["X='zz*'; rm $X", ["zz*"]],
    ["X=zz* true", ["zz*"]],
    ["rm $(ls zz*)", ["zz*"]],
    ['rm "$(ls zz*)"', ["zz*"]],
    ["rm `ls zz*`", ["zz*"]],
    ["rm $(echo z)z*", ["*z*"]],
    ['rm "$(ls "a"*)"', ["a*"]],
    ['rm "$(ls $(echo ")") zz*)"', ["zz*"]],
    [`rm $(${"$(".repeat(6)}ls zz*${")".repeat(7)}`, ["zz*"]],
    ["for f in *.txt; do rm $f; done", ["*.txt"]],
    ["sh -c 'rm zz*'", ["zz*"]],
    ['timeout 5 bash -c "rm zz*"', ["zz*"]],
    ["eval rm 'zz*'", ["zz*"]],
    ["sh -c 'sh -c \"rm zz*\"'", ["zz*"]],
    ["git commit -m 'all * of it'", []],
    ["cat > x <<EOF\n* one\n* two\nEOF", []],
    ["bash <<EOF\nrm zz*\nEOF", ["zz*"]],
    ["cat > x <<'A' <<B\n*a\nA\n*b\nB\nrm zz*", ["zz*"]],
    ["((1<<x))\nrm zz*\nx", ["zz*"]],
    ["echo $((1<<x))\nrm zz*\nx", ["zz*"]],
    ["echo '<<x'\nrm zz*\nx", ["zz*"]],
    ["cat <<x\nrm zz*", ["zz*"]],
    ["cat <<<x\nrm zz*\nx", ["zz*"]],
    ["rm !(keep)", ["*"]],
    ["rm @(a|b).txt", ["*.txt"]],
    ["ls # not this *", []],
    ["echo a#b*", ["a#b*"]],
    ["cp src/*>out 2>&1", ["src/*"]],
    ["rm zz*&&ls yy*|cat", ["zz*", "yy*"]],
  ])("%s", (line, patterns) => expect(patternsOf(line)).toEqual(patterns));
});

test("words keep to their command, without quotes, and say where a redirect leads", () => {
  expect(textsOf("cp -r 'a b' c && { rm d; }\ntar c e>f")).toEqual([
    ["cp", "-r", "a b", "c"],
    ["{", "rm", "d"],
    ["}"],
    ["tar", "c", "e", "f"],
  ]);
  expect(textsOf('rm -r $(cat "x)y") src "$(ls d)"')[0]).toEqual(["rm", "-r", "", "src", "$(ls d)"]);
  expect(commandsOf("tar c e>f")[0]?.map(({ redirect }) => redirect)).toEqual([false, false, false, true]);
});

test("a line of any length and depth takes time in proportion", () => {
  const started = performance.now();
  for (const line of ['"'.repeat(50_000), "$(".repeat(20_000), "sh -c '".repeat(5000), "<<a\n".repeat(20_000), "{".repeat(50_000)])
    expect(commandsOf(line)).toBeInstanceOf(Array);
  expect(performance.now() - started).toBeLessThan(3000);
});
