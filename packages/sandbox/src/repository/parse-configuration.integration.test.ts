import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfiguration } from "./parse-configuration.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwright-configuration-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What git reads: keys and values, or undefined for a file that it refuses. */
function readByGit(text: string): readonly (readonly [string, string | undefined])[] | undefined {
  const file = join(folder, "config");
  writeFileSync(file, text);
  try {
    const listed = execFileSync("git", ["config", "--file", file, "--list", "--null"], { encoding: "utf8", stdio: "pipe" });
    return listed
      .split("\0")
      .slice(0, -1)
      .map((entry) => {
        const at = entry.indexOf("\n");
        return at < 0 ? [entry, undefined] : [entry.slice(0, at), entry.slice(at + 1)];
      });
  } catch {
    return undefined;
  }
}

const readByUs = (text: string) => parseConfiguration(text)?.map(({ key, value }) => [key, value] as const);

test.each([
  ["", []],
  ["[core]\n\tbare = false\n", [["core.bare", "false"]]],
  ['[remote "Origin"]\n url = https://x/y # no\n', [["remote.Origin.url", "https://x/y"]]],
  ["[a.B]\nC\n", [["a.b.c", undefined]]],
  ['[a]b=" x ;y" z\\\n w\n', [["a.b", " x ;y z w"]]],
  ['[a "q\\"r"] k = \\"\\\\\\n\\t\n', [['a.q"r.k', '"\\\n\t']]],
  ["\uFEFF[a]\r\n b = c\r\n", [["a.b", "c"]]],
])("reads %j as git does", (text, settings) => {
  expect(readByUs(text)).toEqual(settings);
  expect(readByGit(text)).toEqual(settings);
});

test.each(["[a", "b = c\n", "[a]\n1b = c\n", '[a]b = "c\n', "[a]b = \\x\n", "[a]\nb c\n", '[a "b\nc"]\nd=e\n', "[a]\nb\u0000 = c\n"])(
  "makes nothing of %j",
  (text) => {
    expect(readByUs(text)).toBeUndefined();
  },
);

test.each(["#", ";"])("what stands behind a long comment with %s is read as git reads it", (mark) => {
  const text = `[a]\n${mark}${"x".repeat(65_535)}[user] name = \\\n[core] fsmonitor = ./evil\n`;
  expect(readByUs(text)).toEqual([["core.fsmonitor", "./evil"]]);
  expect(readByGit(text)).toEqual(readByUs(text));
});

test.each([70_000, 140_000])("a value, a name of a section and blanks of %d letters are read as git reads them", (length) => {
  const long = "y".repeat(length);
  const text = `[a "${long}"]\n${" ".repeat(length)}k = ${long}\n\tm = 1\n`;
  expect(readByUs(text)).toEqual([
    [`a.${long}.k`, long],
    [`a.${long}.m`, "1"],
  ]);
  expect(readByGit(text)).toEqual(readByUs(text));
});

test("whatever is written, git reads the same or we read nothing", () => {
  const piece = fc.constantFrom(
    ...[
      "[core]",
      '[a "b"]',
      '[A "B\\"c"]',
      "[x.Y]",
      "\n",
      "\r\n",
      " ",
      "\t",
      "=",
      "k",
      "Key",
      "v",
      '"',
      "\\",
      "\\\n",
      "\\n",
      '\\"',
      "#",
      ";",
      "x=1",
      "\n[f]\n c = ./e",
      "]",
      "[",
      "-",
      "1",
    ],
  );
  let read = 0;
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 14 }).map((pieces) => `[s]\n${pieces.join("")}`),
      (text) => {
        const ours = readByUs(text);
        if (ours === undefined) return;
        read += 1;
        // Versions of git differ in blanks: a tab within a value, blanks at its end before a line that is continued.
        const plain = (settings: ReturnType<typeof readByGit>) =>
          settings?.map(([key, value]) => [key, value?.replaceAll("\t", " ").trimEnd()]);
        expect(plain(ours)).toEqual(plain(readByGit(text)));
      },
    ),
    { numRuns: 150 },
  );
  expect(read).toBeGreaterThan(20);
});
