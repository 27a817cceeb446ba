import { expect, test } from "vitest";
import { analyseLine } from "../read/analyse-line.ts";
import { findTouched } from "./find-touched.ts";

function touchedBy(line: string) {
  const analysis = analyseLine(line);
  if (!analysis.ok) throw new Error(analysis.reason);
  return findTouched(analysis.commands, undefined);
}
const last = (line: string) => touchedBy(line).at(-1);

test.each<[string, readonly string[], string]>([
  ["cat a.txt b/c.txt", ["a.txt", "b/c.txt"], "content"],
  ["cat < a.txt", ["a.txt"], "content"],
  ["grep -n x a.txt", ["a.txt"], "content"],
  ["grep -f list a.txt", ["a.txt", "list"], "content"],
  ["ls src", ["src"], "names"],
  ["echo a.txt", [], "names"],
  ["echo *.txt", ["*.txt"], "names"],
  ["git log --oneline main", ["main"], "content"],
  ["frobnicate --file=a -fb @c", ["--file=a", "a", "-fb", "b", "@c", "c"], "content"],
])("%s names the paths %j", (line, paths, reads) => {
  const { paths: words = [], reads: read } = last(line) ?? {};
  expect([new Set(words.map(({ text }) => text)), read]).toEqual([new Set(paths), reads]);
});

test("a folder that the line enters is the one that later commands run in, and one that it cannot name is not known", () => {
  expect(touchedBy("cd src && cat a.ts").map(({ folders }) => folders)).toEqual([[""], ["src"]]);
  expect(touchedBy("cd src; cat a.ts").map(({ folders }) => folders)).toEqual([[""], ["", "src"]]);
  expect(touchedBy("cd /tmp && cat a.ts").map(({ folders }) => folders)).toEqual([[""], undefined]);
});

test.each<[string, object | undefined]>([
  ["grep -rn x src", { roots: [{ text: "src" }], reads: "content", follows: false, hidden: true }],
  ["grep -rn x", { roots: [{ text: "." }] }],
  ["grep -R x src", { follows: true }],
  ["grep -rn --include='*.ts' x .", { only: ["*.ts"] }],
  ["grep -n x src", undefined],
  ["rg x", { roots: [{ text: "." }], hidden: false, ignores: true }],
  ["rg -uu x", { hidden: true, ignores: false }],
  ["rg x -g '*.ts'", { hidden: true, only: ["*.ts"] }],
  ["rg x -g '!dist'", { hidden: false, ignores: true, only: [], except: ["dist"] }],
  ["rg -t ts x", { only: ["*.ts", "*.tsx", "*.mts", "*.cts"] }],
  ["cat a | rg x", undefined],
  ["diff -r a b", { roots: [{ text: "a" }, { text: "b" }], follows: true }],
  ["git grep x", { tracked: true, reads: "content" }],
  ["ls -R src", { reads: "names", follows: false }],
  ["ls -RL src", { follows: true }],
  ["find . -name '*.ts' -not -path './dist/*'", { reads: "names", only: ["*.ts"] }],
  ["find . -name '*.ts' -o -name '*.js'", { only: [] }],
  ["find . -name '*.ts' | xargs cat", { reads: "content", only: ["*.ts"], listsLinks: true }],
  ["find src -type f -exec cat {} +", { roots: [{ text: "src" }], reads: "content", listsLinks: false }],
  ["git ls-files | xargs wc -l", { tracked: true, reads: "content" }],
])("%s looks through folders as %j", (line, walk) => {
  const found = last(line)?.walk;
  if (walk) expect(found).toMatchObject(walk);
  else expect(found).toBeUndefined();
});
