import { isFailure } from "@toolwright/engine";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyHunks } from "./apply-hunks.ts";
import { parsePatch } from "./parse-patch.ts";

/** Applies a patch of one file that is updated. */
function apply(text: string, patch: string) {
  const parsed = parsePatch(patch);
  if (isFailure(parsed)) throw new Error(parsed.message);
  const [file] = parsed.files[0]?.steps ?? [];
  if (file?.kind !== "update") throw new Error(`The patch does not update a file, but ${JSON.stringify(file)}.`);
  const applied = applyHunks(text, file.hunks, { path: file.path });
  return isFailure(applied) ? { code: applied.code, message: applied.message } : { text: applied.text, match: applied.match };
}
const envelope = (...lines: readonly string[]) => `*** Begin Patch\n*** Update File: a.txt\n${lines.join("\n")}\n*** End Patch\n`;
const unified = (...lines: readonly string[]) => `--- a/a.txt\n+++ b/a.txt\n${lines.join("\n")}\n`;

describe("where a hunk fits", () => {
  test.each<[name: string, text: string, patch: string, expected: string]>([
    ["the only place", "a\nb\nc\n", envelope("@@", " a", "-b", "+B", " c"), "a\nB\nc\n"],
    ["a first hunk without @@", "a\nb\nc\n", envelope("-b", "+B"), "a\nB\nc\n"],
    ["several hunks in their order", "a\nx\nb\nx\n", envelope("@@", " a", "-x", "+1", "@@", " b", "-x", "+2"), "a\n1\nb\n2\n"],
    ["one of two places, which only the hunk before it leaves", "x\nm\nx\n", envelope("@@", "-m", "+M", "@@", "-x", "+X"), "x\nM\nX\n"],
    ["the same hunk twice, for both of its places", "x\nm\nx\n", envelope("@@", "-x", "+1", "@@", "-x", "+2"), "1\nm\n2\n"],
    [
      "below a line that @@ names",
      "def f():\n  x\ndef g():\n  x\n",
      envelope("@@ def g():", "-  x", "+  y"),
      "def f():\n  x\ndef g():\n  y\n",
    ],
    ["below a line that is indented", "c\n  def g():\n  x\n", envelope("@@ def g():", "-  x", "+  y"), "c\n  def g():\n  y\n"],
    ["below two lines", "A\n f\n x\nB\n f\n x\n", envelope("@@ B", "@@ f", "- x", "+ y"), "A\n f\n x\nB\n f\n y\n"],
    ["at the end of the file", "x\nm\nx\n", envelope("@@", "-x", "+X", "*** End of File"), "x\nm\nX\n"],
    ["added at the end of the file", "a\n", envelope("@@", "+b", "*** End of File"), "a\nb\n"],
    ["added below a line", "a\nb\n", envelope("@@ a", "+x"), "a\nx\nb\n"],
    ["the line that a unified diff names, of several", "x\nx\nx\n", unified("@@ -2 +2 @@", "-x", "+X"), "x\nX\nx\n"],
    ["elsewhere than a unified diff says, where it fits once", "a\nb\nc\n", unified("@@ -9,1 +9,1 @@", "-b", "+B"), "a\nB\nc\n"],
    ["added without context", "a\nb\n", unified("@@ -1,0 +2 @@", "+x"), "a\nx\nb\n"],
    ["added to an empty file", "", unified("@@ -0,0 +1 @@", "+x"), "x\n"],
    ["without an empty line that is for the eye", "a\nb\n", envelope("@@", "-a", "+A", ""), "A\nb\n"],
    ["an empty line without its blank", "a\n\nb\n", envelope("@@", " a", "", "-b", "+B"), "a\n\nB\n"],
  ])("%s", (_name, text, patch, expected) => {
    expect(apply(text, patch)).toEqual({ text: expected, match: "exact" });
  });
});

describe("what does not fit exactly", () => {
  test.each<[name: string, text: string, patch: string, expected: object]>([
    [
      "line ends of Windows stay",
      "a\r\nb\r\nc\r\n",
      envelope("@@", " a", "-b", "+B", "+x", " c"),
      { text: "a\r\nB\r\nx\r\nc\r\n", match: "line_ends" },
    ],
    [
      "line ends in the patch alone are not taken over",
      "a\nb\n",
      `${envelope("-b", "+B").replaceAll("\n", "\r\n")}`,
      { text: "a\nB\n", match: "exact" },
    ],
    [
      "blanks at the ends of lines stay",
      "a  \nb\t\nc\n",
      envelope("@@", " a", "-b", "+B", " c"),
      { text: "a  \nB\nc\n", match: "trailing_space" },
    ],
    ["blanks at the ends of lines of the patch", "a\nb\n", envelope("@@", " a ", "-b ", "+B"), { text: "a\nB\n", match: "trailing_space" }],
    [
      "a hunk that fits exactly somewhere is not tried otherwise",
      "x \nm\nx\n",
      envelope("@@", "-x", "+X"),
      { text: "x \nm\nX\n", match: "exact" },
    ],
  ])("%s", (_name, text, patch, expected) => {
    expect(apply(text, patch)).toEqual(expected);
  });

  test("a git diff of a file with line ends of Windows changes them where it says so", () => {
    expect(apply("a\r\nb\r\n", unified("@@ -1,2 +1,2 @@", " a\r", "-b\r", "+b"))).toEqual({ text: "a\r\nb\n", match: "exact" });
  });
});

describe("the end of a file", () => {
  test.each<[name: string, text: string, patch: string, expected: string]>([
    ["without a line feed stays so", "a\nb", envelope("@@", " a", "-b", "+B"), "a\nB"],
    ["without a line feed gets one before what is added", "a", envelope("@@", " a", "+b"), "a\nb"],
    ["gets a line feed that a unified diff adds", "a", unified("@@ -1 +1 @@", "-a", "\\ No newline at end of file", "+a"), "a\n"],
    ["loses a line feed that a unified diff removes", "a\n", unified("@@ -1 +1 @@", "-a", "+a", "\\ No newline at end of file"), "a"],
    ["may be all of it", "a\nb\n", envelope("@@", "-a", "-b"), ""],
  ])("%s", (_name, text, patch, expected) => {
    expect(apply(text, patch)).toMatchObject({ text: expected });
  });

  test("that the patch takes for another one is said", () => {
    expect(apply("a", unified("@@ -1 +1 @@", "-a", "+b"))).toEqual({ text: "b", match: "line_ends" });
  });
});

describe("what cannot be applied", () => {
  test.each<[name: string, text: string, patch: string, failure: readonly [code: string, message: RegExp]]>([
    [
      "a hunk that fits twice names the places",
      "x\nm\nx\n",
      envelope("@@", "-x", "+X"),
      ["text_not_unique", /hunk at line 3 of the patch fits 2 times, at lines 1, 3\..*@@/s],
    ],
    ["a line above it that stands twice", "f\nx\nf\nx\n", envelope("@@ f", "-x", "+X"), ["text_not_unique", /lines 2, 4/]],
    ["a wrong number decides nothing", "x\nm\nx\n", unified("@@ -2 +2 @@", "-x", "+X"), ["text_not_unique", /lines 1, 3/]],
    ["lenient matches must be unique, too", "x \nm\nx\t\n", envelope("@@", "-x", "+X"), ["text_not_unique", /lines 1, 3/]],
    [
      "lines that are nowhere",
      "const port = 80;\n",
      envelope("@@", "-const port = 81;", "+x"),
      ["text_not_found", /do not occur.*1: const port = 80;/s],
    ],
    [
      "other blanks within lines",
      "  a\n  b\n",
      envelope("@@", "-a", "-b"),
      ["text_not_found", /line 1 with other blanks.*exactly:\n {2}a\n {2}b/s],
    ],
    [
      "a line above it that is nowhere",
      "def fun():\n",
      envelope("@@ def fan():", "-x", "+y"),
      ["text_not_found", /below the line "def fan\(\):".*1: def fun/s],
    ],
    [
      "hunks in another order",
      "a\nb\n",
      envelope("@@", "-b", "+B", "@@", "-a", "+A"),
      ["text_not_found", /fits at line 1, .*before.*order/s],
    ],
    ["lines that are added somewhere", "a\nb\n", envelope("@@", "+x"), ["text_not_unique", /does not say where.*End of File/s]],
    ["lines that are added beyond the end", "a\n", unified("@@ -7,0 +8 @@", "+x"), ["text_not_found", /after line 7.*has 1 lines/]],
    [
      "lines that are not at the end",
      "x\nm\n",
      envelope("@@", "-x", "+X", "*** End of File"),
      ["text_not_found", /at the end of the file/],
    ],
    [
      "hunks and lines that repeat each other more often than can be compared",
      "x\n".repeat(60_000),
      envelope(...Array(100).fill("@@\n x\n-x\n+y")),
      ["patch_too_large", /100 hunks repeat too many of the 60000 lines/],
    ],
    [
      "a thousand anchors that stand everywhere",
      "x\n".repeat(20_000),
      envelope(...Array(1_000).fill("@@ x"), "-x", "+y"),
      ["patch_too_large", /lines that occur rarely/],
    ],
  ])("%s", (_name, text, patch, [code, message]) => {
    expect(apply(text, patch)).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test("every hunk that fits nowhere is told, up to three", () => {
    const { message } = apply("a\n", envelope(...[1, 2, 3, 4, 5].map((n) => `@@\n-missing ${n}\n+x`))) as { message: string };
    expect(message.match(/In "a\.txt"/g)).toHaveLength(3);
    expect(message).toContain("2 more hunks");
  });
});

type Edit = readonly [mark: " " | "-" | "+", line: string];

/** What leads from some lines to others; the longest common part of them stays. */
function editsBetween(from: readonly string[], to: readonly string[]): readonly Edit[] {
  const common = Array.from({ length: from.length + 1 }, () => Array.from({ length: to.length + 1 }, () => 0));
  for (let i = from.length - 1; i >= 0; i -= 1) {
    for (let j = to.length - 1; j >= 0; j -= 1)
      common[i]![j] = from[i] === to[j] ? common[i + 1]![j + 1]! + 1 : Math.max(common[i + 1]![j]!, common[i]![j + 1]!);
  }
  const edits: Edit[] = [];
  for (let i = 0, j = 0; i < from.length || j < to.length; ) {
    const [old, added] = [from[i], to[j]];
    const isKept = old !== undefined && old === added;
    const isRemoved = old !== undefined && (added === undefined || common[i + 1]![j]! >= common[i]![j + 1]!);
    edits.push(isKept ? [" ", old] : isRemoved ? ["-", old] : ["+", added!]);
    if (isKept || isRemoved) i += 1;
    if (isKept || !isRemoved) j += 1;
  }
  return edits;
}

const written = ([mark, line]: Edit) => (line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`);
const count = (edits: readonly Edit[], mark: "-" | "+") => edits.filter(([each]) => each === " " || each === mark).length;
const range = (before: number, length: number) => `${length === 0 ? before : before + 1},${length}`;

/** As `diff -U` writes it. */
function diff(edits: readonly Edit[], context: number): string {
  const isNear = edits.map((_, at) => edits.slice(Math.max(0, at - context), at + context + 1).some(([mark]) => mark !== " "));
  const hunks: string[] = [];
  for (let at = 0, old = 0, added = 0; at < edits.length; ) {
    const length = isNear.slice(at).indexOf(!isNear[at]);
    const part = edits.slice(at, length === -1 ? undefined : at + length);
    const lengths = [count(part, "-"), count(part, "+")] as const;
    if (isNear[at]) hunks.push(`@@ -${range(old, lengths[0])} +${range(added, lengths[1])} @@\n${part.map(written).join("")}`);
    at += part.length;
    old += lengths[0];
    added += lengths[1];
  }
  return unified(hunks.join(""));
}

describe("a diff of two texts, applied to the first, gives the second, whatever they hold and however often lines repeat", () => {
  const odd = ["", " ", "- x", "+ y", "-- z", "++ z", "@@", "@@ -1 +1 @@", "\\ No newline", "*** End Patch", "é\u2028", "a\r", "\t"];
  // Mostly lines that stand in many places.
  const line = fc.oneof({ weight: 6, arbitrary: fc.constantFrom("a", "b") }, { weight: 1, arbitrary: fc.constantFrom(...odd) });
  const lines = fc.array(line, { maxLength: 20 });
  const ended = lines.map((some) => some.map((line) => `${line}\n`));
  const open = lines.map((some) => some.map((line, at) => (at < some.length - 1 || line === "" ? `${line}\n` : line)));
  const text = fc.oneof(ended, open);

  test("as a unified diff", () => {
    fc.assert(
      fc.property(text, text, fc.integer({ min: 1, max: 3 }), (from, to, context) => {
        const [before, after] = [from.join(""), to.join("")];
        fc.pre(before !== after);
        expect(apply(before, diff(editsBetween(from, to), context))).toMatchObject({ text: after });
      }),
      { numRuns: 500 },
    );
  });

  test("as a patch that shows the whole file", () => {
    fc.assert(
      fc.property(ended, ended, (from, to) => {
        const [before, after] = [from.join(""), to.join("")];
        fc.pre(before !== after);
        const hunk = editsBetween(from, to).map(([mark, line]) => mark + line.slice(0, -1));
        expect(apply(before, envelope("@@", ...hunk, "*** End of File"))).toEqual({ text: after, match: "exact" });
      }),
      { numRuns: 500 },
    );
  });
});
