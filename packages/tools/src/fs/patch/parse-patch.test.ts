import { isFailure } from "@toolwright/engine";
import { describe, expect, test } from "vitest";
import { parsePatch } from "./parse-patch.ts";

const text = (...lines: readonly string[]) => `${lines.join("\n")}\n`;
const parse = (...lines: readonly string[]) => {
  const parsed = parsePatch(text(...lines));
  if (isFailure(parsed)) throw new Error(parsed.message);
  return { files: parsed.files.flatMap(({ steps }) => steps), miscounted: parsed.miscounted };
};
const problem = (...lines: readonly string[]) => {
  const parsed = parsePatch(lines.join("\n"));
  return isFailure(parsed) ? `${parsed.code}: ${parsed.message}` : "none";
};

describe("between *** Begin Patch and *** End Patch", () => {
  test("files are added, updated, moved and deleted", () => {
    const { files } = parse(
      ...[
        "*** Begin Patch",
        "*** Add File: new/a.txt",
        "+one",
        "+",
        "*** Update File: b.txt",
        "*** Move to: c.txt",
        "@@ class A",
        "@@ def f",
        " x",
      ],
      ...["-y", "+z", "*** End of File", "*** Update File: d.txt", "*** Move to: e.txt", "*** Delete File: f g.txt", "*** End Patch"],
    );
    expect(files).toMatchObject([
      { kind: "add", path: "new/a.txt", text: "one\n\n", executable: false },
      {
        kind: "update",
        path: "b.txt",
        moveTo: "c.txt",
        hunks: [{ at: 7, anchors: ["class A", "def f"], atEnd: true, lines: { length: 3 } }],
      },
      { kind: "update", path: "d.txt", moveTo: "e.txt", hunks: [] },
      { kind: "delete", path: "f g.txt" },
    ]);
  });

  test("what is written around it is prose, and a new file may be empty", () => {
    const { files } = parse("```", "*** Begin Patch", "*** Add File: a", "", "*** End Patch", "```", "- That is all.");
    expect(files).toEqual([{ kind: "add", at: 3, path: "a", text: "", executable: false }]);
  });

  test("several follow each other, and all of them are read", () => {
    const one = (name: string) => ["*** Begin Patch", `*** Add File: ${name}`, "+x", "*** End Patch"];
    expect(parse(...one("a"), "Then this:", ...one("b")).files.map(({ path }) => path)).toEqual(["a", "b"]);
  });

  test.each([
    ["no end", ["*** Begin Patch", "*** Add File: a", "+x"], /breaks off.*"\*\*\* End Patch" is missing/],
    ["no file", ["*** Begin Patch", "*** End Patch"], /changes no file/],
    ["another header", ["*** Begin Patch", "*** Rename File: a", "*** End Patch"], /Line 2 of the patch is not/],
    ["an update without a hunk", ["*** Begin Patch", "*** Update File: a", "*** End Patch"], /changes nothing in "a"/],
    [
      "a hunk without a change",
      ["*** Begin Patch", "*** Update File: a", "@@", " x", "*** End Patch"],
      /hunk at line 3.*adds and removes nothing/,
    ],
    [
      "a line without a mark",
      ["*** Begin Patch", "*** Update File: a", "@@", "-x", "y", "*** End Patch"],
      /Line 5 of the patch begins with neither.*y/,
    ],
    ["a new line without a mark", ["*** Begin Patch", "*** Add File: a", "+x", "y", "*** End Patch"], /Line 4 of the patch.*"\+"/],
    [
      "a file that is added below its change",
      ["*** Begin Patch", "*** Update File: a/b", "-x", "+y", "*** Add File: ./a//b", "*** End Patch"],
      /Line 5 of the patch changes "\.\/a\/\/b", which it adds or changes/,
    ],
    [
      "a file below its end",
      ["*** Begin Patch", "*** Delete File: a", "*** End Patch", "*** Delete File: b"],
      /Line 4 of the patch is of another format/,
    ],
    [
      "a unified diff below its end",
      ["*** Begin Patch", "*** Delete File: a", "*** End Patch", "--- a/b", "+++ b/b", "@@ -1 +1 @@", "-x", "+y"],
      /Line 4 of the patch begins a unified diff/,
    ],
    [
      "too many files",
      ["*** Begin Patch", ...Array.from({ length: 101 }, (_, at) => `*** Delete File: ${at}`), "*** End Patch"],
      /101 files/,
    ],
  ])("cannot be read with %s", (_name, lines, expected) => {
    expect(problem(...lines)).toMatch(/^patch_invalid: The patch cannot be read\. /);
    expect(problem(...lines)).toMatch(expected);
  });
});

describe("a unified diff", () => {
  test("is read as git writes it: names in quotes, modes, renames, new and deleted files", () => {
    const { files, miscounted } = parse(
      ...["From 1234", "Subject: something", "", "diff --git a/run.sh b/run.sh", "old mode 100644", "new mode 100755"],
      ...["diff --git a/old name b/new name", "similarity index 100%", "rename from old name", "rename to new name"],
      ...['diff --git "a/\\303\\244.txt" "b/\\303\\244.txt"', "index 1..2 100644", '--- "a/\\303\\244.txt"', '+++ "b/\\303\\244.txt"'],
      ...[
        "@@ -1,2 +1,2 @@ heading",
        " a",
        "--- b",
        "+++ c",
        "diff --git a/new b/new",
        "new file mode 100755",
        "index 0..1",
        "--- /dev/null",
      ],
      ...["+++ b/new", "@@ -0,0 +1 @@", "+x", "\\ No newline at end of file", "diff --git a/empty b/empty", "new file mode 100644"],
      ...[
        "diff --git a/gone b/gone",
        "deleted file mode 100644",
        "--- a/gone",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-x",
        "-- ",
        "2.39.2",
        "",
      ],
    );
    expect(files).toMatchObject([
      { kind: "update", path: "run.sh", hunks: [], executable: true },
      { kind: "update", path: "old name", moveTo: "new name", hunks: [] },
      { kind: "update", path: "ä.txt", hunks: [{ anchors: [], before: 0, lines: [{}, { text: "-- b" }, { text: "++ c" }] }] },
      { kind: "add", path: "new", text: "x", executable: true },
      { kind: "add", path: "empty", text: "", executable: false },
      { kind: "delete", path: "gone", hunks: [{ lines: [{ mark: "remove", text: "x" }] }] },
    ]);
    expect(miscounted).toEqual([]);
  });

  test("is read without git, with times behind the names, and with a folder that is called a", () => {
    const plain = parse("--- src/a.txt.orig\t2026-01-01 00:00", "+++ src/a.txt\t2026-01-02 00:00", "@@ -1 +1 @@", "-a", "+b");
    expect(plain.files).toMatchObject([{ kind: "update", path: "src/a.txt" }]);
    expect(parse("--- a/x", "+++ a/x", "@@ -1 +1 @@", "-a", "+b").files[0]?.path).toBe("a/x");
  });

  test("whose headers count wrongly is read by its lines, and that is told", () => {
    const { files, miscounted } = parse(
      ...[
        "--- a/x",
        "+++ b/x",
        "@@ -1,9 +1,9 @@",
        "-a",
        "+b",
        "@@ -20,1 +20,1 @@",
        " m",
        "-c",
        "+d",
        "--- a/y",
        "+++ b/y",
        "@@ -1 +1 @@",
        "-a",
        "+b",
      ],
    );
    expect(files).toMatchObject([{ path: "x", hunks: [{ lines: { length: 2 } }, { lines: { length: 3 } }] }, { path: "y" }]);
    expect(miscounted).toEqual([3, 6]);
  });

  test.each([
    ["nothing of a patch", ["Please change a to b."], /neither "\*\*\* Begin Patch" nor/],
    ["nothing", [""], /neither/],
    ["binary data", ["diff --git a/x b/x", "index 1..2", "GIT binary patch", "literal 1"], /Line 3 of the patch is no change of a text/],
    ["two binary files", ["diff --git a/x b/x", "Binary files a/x and b/x differ"], /no change of a text/],
    ["a copy", ["diff --git a/x b/y", "similarity index 90%", "copy from x", "copy to y"], /no change of a text/],
    [
      "a link",
      ["diff --git a/x b/x", "new file mode 120000", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+/etc/passwd"],
      /mode 120000.*no links/,
    ],
    [
      "a submodule",
      ["diff --git a/x b/x", "new file mode 160000", "--- /dev/null", "+++ b/x", "@@ -0,0 +1 @@", "+Subproject"],
      /submodules/,
    ],
    ["a line of no hunk", ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "-a", "+b", "c"], /Line 6 of the patch/],
    ["a new file with old lines", ["--- /dev/null", "+++ b/x", "@@ -1 +1 @@", "-a", "+b"], /"x" is new/],
    ["headers alone", ["--- a/x", "+++ b/x"], /changes nothing in "x"/],
    ["no name", ["--- /dev/null", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"], /does not name it/],
  ])("cannot be read with %s", (_name, lines, expected) => {
    expect(problem(...lines)).toMatch(expected);
  });
});

test("a patch of very many lines is refused before it is read", () => {
  parse("*** Begin Patch", "*** Update File: a", ...Array(16_000).fill("@@ some line of the file\n-old\n+new"), "*** End Patch");
  expect(problem("x\n".repeat(500_000))).toBe(
    "patch_too_large: The patch has 500000 lines, and 50000 are the most in one call. Send it in parts.",
  );
});
