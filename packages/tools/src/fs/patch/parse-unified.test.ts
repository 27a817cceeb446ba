import { isFailure } from "@toolwright/engine";
import { describe, expect, test } from "vitest";
import { parsePatch } from "./parse-patch.ts";
import { patchText } from "./patch-text.ts";

const numbered = Array.from({ length: 9 }, (_, index) => `n${index + 1}\n`).join("");
const hunk = (line: number) => [`@@ -${line - 1},3 +${line - 1},3 @@ n1`, ` n${line - 1}`, `-n${line}`, `+N${line}`, ` n${line + 1}`];
const git = (path: string, line: number, [from, to]: readonly string[] = ["a/", "b/"]) => [
  ...[`diff --git ${from}${path} ${to}${path}`, "index 1111111..2222222 100644", `--- ${from}${path}`, `+++ ${to}${path}`, ...hunk(line)],
];
const gitNew = (path: string, [from, to]: readonly string[] = ["a/", "b/"]) => [
  ...[`diff --git ${from}${path} ${to}${path}`, "new file mode 100644", "index 0000000..3333333", "--- /dev/null", `+++ ${to}${path}`],
  ...["@@ -0,0 +1 @@", "+new"],
];
const mail = (id: string, ...diff: string[]) => [
  ...[`From ${id.repeat(40)} Mon Sep 17 00:00:00 2001`, "From: Ada <ada@example.org>", "Date: Fri, 27 Nov 2026 23:46:00 +0000"],
  ...[
    "Subject: [PATCH] change",
    "",
    "- a point of the message",
    "+ and another",
    "---",
    " src/x.txt | 2 +-",
    " 1 file changed",
    "",
    ...diff,
  ],
  ...["-- ", "2.39.5", "", ""],
];
const tree = (path: string, line: number, [from, to]: readonly string[] = ["old", "new"]) => [
  ...[`diff -ru ${from}/${path} ${to}/${path}`, `--- ${from}/${path}\t2026-11-27 23:46:02.275 +0000`],
  ...[`+++ ${to}/${path}\t2026-11-27 23:46:02.983 +0000`, ...hunk(line)],
];
const svn = (path: string, line: number) => [
  ...[`Index: ${path}`, "=".repeat(67), `--- ${path}\t(revision 1)`, `+++ ${path}\t(working copy)`, ...hunk(line)],
];
const hg = (path: string, line: number) => [
  ...["# HG changeset patch", "# User ada", "# Date 1795823162 0", "# Node ID 11aa", "- a point", "", `diff -r 00aa -r 11aa ${path}`],
  ...[`--- a/${path}\tFri Nov 27 23:46:02 2026 +0000`, `+++ b/${path}\tFri Nov 27 23:46:03 2026 +0000`, ...hunk(line)],
];

/** What each file is after a patch of files that are all alike, `-` for one that is gone; or why the patch is refused. */
function outcome(lines: readonly string[]): unknown {
  const parsed = parsePatch(`${lines.join("\n")}\n`);
  if (isFailure(parsed)) return parsed.message;
  return parsed.files.map((file) => {
    const { path, to, steps } = file;
    const patched = patchText(file, steps[0]?.kind === "add" ? undefined : numbered);
    if (isFailure(patched)) return `${path}: ${patched.message}`;
    const changed = patched.text?.match(/N\d|new/g)?.join(" ") ?? "-";
    return `${path}${to === path || to === undefined ? "" : ` > ${to}`}: ${changed}`;
  });
}

const epoch = (zone: string) => (zone === "+0000" ? "1970-01-01 00:00:00" : "1969-12-31 19:00:00");

describe("all parts are read", () => {
  test.each<[name: string, lines: readonly string[], expected: readonly string[]]>([
    [
      "mails of several commits",
      [...mail("a", ...git("x", 2)), ...mail("b", ...git("y", 8)), ...mail("c", ...gitNew("z"))],
      ["x: N2", "y: N8", "z: new"],
    ],
    ["mails without signatures", [...mail("a", ...git("x", 2)).slice(0, -4), ...mail("b", ...git("y", 8))], ["x: N2", "y: N8"]],
    ["a cover letter", [...mail("a", "A letter."), ...mail("b", ...git("y", 8))], ["y: N8"]],
    [
      "commits as git log and git show write them",
      [`commit ${"a".repeat(40)}`, "", "    - words", "", ...git("x", 2), "", `commit ${"b".repeat(40)}`, "", ...git("y", 4)],
      ["x: N2", "y: N4"],
    ],
    ["one file in two commits", [...mail("a", ...git("x", 2)), ...mail("b", ...git("x", 8))], ["x: N2 N8"]],
    ["one file in two diffs", [...git("x", 8), ...git("x", 2)], ["x: N2 N8"]],
    ["a file that is added and then changed", [...gitNew("x"), ...["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-new", "+N1"]], ["x: N1"]],
    [
      "a file that is changed and then moved, and changed again",
      [...git("x", 2), ...["diff --git a/x b/y", "similarity index 100%", "rename from x", "rename to y"], ...git("y", 8)],
      ["x > y: N2 N8"],
    ],
    [
      "a file that is added and then deleted",
      [...gitNew("x"), ...["diff --git a/x b/x", "deleted file mode 100644", "--- a/x", "+++ /dev/null", "@@ -1 +0,0 @@", "-new"]],
      ["x: -"],
    ],
    ...[
      ["i/", "w/"],
      ["c/", "i/"],
      ["c/", "w/"],
      ["o/", "w/"],
      ["old/", "new/"],
      ["src/", "dest/"],
      ["", ""],
      ["b/", "a/"],
    ].map((sides): [string, readonly string[], readonly string[]] => [
      `sides ${sides.join(" and ")}`,
      [...git("src/x y", 2, sides), ...gitNew("b/n", sides)],
      ["src/x y: N2", "b/n: new"],
    ]),
    ["diff -ru", [...tree("src/x", 2), ...tree("src/y", 8)], ["src/x: N2", "src/y: N8"]],
    ["diff -ru of two roots elsewhere", [...tree("src/x", 2, ["/tmp/a/old", "/tmp/a/new"])], ["src/x: N2"]],
    [
      "diff -ru of names in quotes",
      tree("src/x", 2).map((line) => line.replaceAll(/(?:old|new)\/src\/x/g, '"$&\\303\\244"')),
      ["src/xä: N2"],
    ],
    ...["+0000", "-0500"].flatMap((zone): [string, readonly string[], readonly string[]][] => [
      [
        `a file that diff -N adds, in zone ${zone}`,
        ["diff -ruN o/x n/x", `--- o/x\t${epoch(zone)}.000000000 ${zone}`, `+++ n/x\t2026-11-27 23:46:02 ${zone}`, "@@ -0,0 +1 @@", "+new"],
        ["x: new"],
      ],
      [
        `a file that diff -N deletes, in zone ${zone}`,
        [
          "diff -ruN o/x n/x",
          `--- o/x\t2026-11-27 23:46:02 ${zone}`,
          `+++ n/x\t${epoch(zone)} ${zone}`,
          "@@ -1,9 +0,0 @@",
          ...numbered
            .trimEnd()
            .split("\n")
            .map((line) => `-${line}`),
        ],
        ["x: -"],
      ],
    ]),
    ["Subversion", [...svn("src/x", 2), "", ...svn("src/y", 8)], ["src/x: N2", "src/y: N8"]],
    [
      "a file that Subversion adds",
      ["Index: x", "=".repeat(67), "--- x\t(nonexistent)", "+++ x\t(working copy)", "@@ -0,0 +1 @@", "+new"],
      ["x: new"],
    ],
    ["Subversion with --git", ["Index: x", "=".repeat(67), ...git("x", 2)], ["x: N2"]],
    [
      "CVS",
      [
        "Index: x",
        "=".repeat(67),
        "RCS file: /cvs/x,v",
        "retrieving revision 1.1",
        "diff -u -r1.1 -r1.2",
        "--- x\t1 Jan 2026 00:00:00 -0000\t1.1",
        "+++ x\t2 Jan 2026 00:00:00 -0000\t1.2",
        ...hunk(2),
      ],
      ["x: N2"],
    ],
    ["Bazaar", ["=== modified file 'x'", "--- x\t2026-01-01 00:00:00 +0000", "+++ x\t2026-01-02 00:00:00 +0000", ...hunk(2)], ["x: N2"]],
    ["Mercurial", [...hg("x", 2), ...hg("y", 8)], ["x: N2", "y: N8"]],
    ["closing prose", [...git("x", 2), "", "That is all: one line changes.", "", "-- ", "Ada", "+1 555 0100"], ["x: N2"]],
    ["a signature whose blank is gone", [...git("x", 2), "--", "2.39.5"], ["x: N2"]],
    [
      "blocks of Markdown",
      ["First:", "```diff", ...git("x", 2), "```", "- and then:", "```diff", ...git("y", 8), "```"].map((line) =>
        line.replace("- and", "and"),
      ),
      ["x: N2", "y: N8"],
    ],
    ["empty lines between hunks", [...git("x", 2), "", ...hunk(8)], ["x: N2 N8"]],
    [
      "an example of the other format in its lines",
      ["--- a/x", "+++ b/x", "@@ -1,2 +1,5 @@", " n1", "+new", "+*** Begin Patch", "+*** Delete File: x", " n2"],
      ["x: new"],
    ],
  ])("of %s", (_name, lines, expected) => {
    expect(outcome(lines)).toEqual(expected);
  });
});

describe("a part that is not read refuses the whole, with its line", () => {
  test.each<[name: string, above: readonly string[], part: readonly string[], line: number]>([
    ["a hunk without a file", [], [...hunk(2), ...git("x", 2)], 1],
    ["a hunk below prose", [...git("x", 2), "", "And:"], hunk(8), 12],
    ["lines of a hunk below an empty line", [...git("x", 2), ""], ["+more"], 11],
    ["lines of a hunk below prose", [...git("x", 2), "", "more:"], ["-less"], 12],
    ["a line below a hunk", git("x", 2), ["n4"], 10],
    ["a merge", git("x", 2), ["diff --cc y", "index 1,2..3", "--- a/y", "+++ b/y", "@@@ -1,1 -1,1 +1,1 @@@", "- a", " -b", "++c"], 10],
    ["a file of diff -r alone", tree("x", 2), ["Only in new: y"], 9],
    ["a file of diff -r alone, above", [], ["Only in new/src: y", ...tree("x", 2)], 1],
    ["a binary file of diff -r", tree("x", 2), ["Binary files old/y and new/y differ"], 9],
    ["a folder in place of a file", tree("x", 2), ["File old/y is a directory while file new/y is a regular file"], 9],
    ["a diff that is not unified", tree("x", 2), ["diff -r old/y new/y", "2c2", "< n2", "---", "> N2"], 9],
    ["lines of a plain diff", [...tree("x", 2), ""], ["2c2", "< n2", "---", "> N2"], 10],
    ["a context diff", [...git("x", 2), ""], ["*** old/y\t2026", "--- new/y\t2026", "***************", "*** 1,2 ****"], 12],
    ["properties of Subversion", [...svn("x", 2), ""], ["Property changes on: x", "_____", "Added: svn:executable"], 11],
    ["a binary file of Subversion", svn("x", 2), ["Index: y", "=".repeat(67), "Cannot display: file marked as a binary type."], 11],
    ["an empty file of Subversion", svn("x", 2), ["Index: y", "=".repeat(67), "", ...svn("z", 2)], 11],
    [
      "another file than Subversion announces",
      svn("x", 2),
      ["Index: src/y", "=".repeat(67), "--- y\t(revision 1)", "+++ y\t(working copy)", ...hunk(2)],
      10,
    ],
    ["an empty file of Mercurial", hg("x", 2), ["diff -r 00 -r 11 y", ...hg("z", 2)], 15],
    ["a move of Bazaar", [], ["=== renamed file 'x' => 'y'", "--- x", "+++ y", ...hunk(2)], 1],
    ["a submodule's log", git("x", 2), ["Submodule sub 111aaa..222bbb:", "  > a commit"], 10],
    ["a move without a header", [...git("x", 2), ""], ["rename from y", "rename to z"], 11],
    ["a new file whose lines are cut off", git("x", 2), ["diff --git a/y b/y", "new file mode 100644", "index 0000000..3333333"], 10],
    [
      "a mode whose lines are cut off",
      git("x", 2),
      ["diff --git a/y b/y", "old mode 100644", "new mode 100755", "index 1111111..3333333"],
      10,
    ],
    ["an encoded mail", mail("a", ...git("x", 2)), ["From: Ada", "Content-Transfer-Encoding: base64", "", "ZGlmZg=="], 26],
    ["the other format", [...git("x", 2), ""], ["*** Begin Patch", "*** Delete File: y", "*** End Patch"], 11],
    ["two names", [], ["--- src/y", "+++ lib/new/y", ...hunk(2)], 1],
    ["two names of git", git("x", 2), ["diff --git a/y b/z", "--- a/y", "+++ b/z", ...hunk(2)], 10],
    ["a letter that may be a side or a folder", git("x", 2), ["--- /dev/null", "+++ w/y", "@@ -0,0 +1 @@", "+new"], 10],
    ["a file that is deleted and changed", ["*** a patch ***"], [...gitNew("x"), ...gitNew("x")], 9],
  ])("%s", (_name, above, part, line) => {
    expect(outcome([...above, ...part])).toMatch(new RegExp(`^The patch cannot be read\\. Line ${line} of the patch `));
  });
});

test("a file that changes more often than its lines can be looked at is refused", () => {
  const often = Array.from({ length: 4_000 }, (_, at) => [
    "--- a/x",
    "+++ b/x",
    "@@ -1,2 +1,2 @@",
    at % 2 ? "-b" : "-a",
    at % 2 ? "+a" : "+b",
    " c",
  ]);
  const parsed = parsePatch(often.flat().join("\n"));
  if (isFailure(parsed)) throw new Error(parsed.message);
  expect(patchText(parsed.files[0]!, "a\nc\n")).toMatchObject({ text: "a\nc\n" });
  expect(patchText(parsed.files[0]!, `a\nc\n${"line\n".repeat(1_000)}`)).toMatchObject({ code: "patch_too_large" });
});
