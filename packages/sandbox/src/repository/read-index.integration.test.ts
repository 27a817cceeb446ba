import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readIndex } from "./read-index.ts";

let root: string;
const git = (...words: string[]) => execFileSync("git", words, { cwd: root, encoding: "utf8", stdio: "pipe" });
const paths = ["a", "a.b", "deep/er/file", "deep/er/file2", "ä/ö", `long/${"x".repeat(200)}`, ".env"];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-index-"));
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const read = (hash: "sha1" | "sha256" = "sha1") => readIndex(root, ".git", { hash, wants: () => true });
const listed = () =>
  git("ls-files", "-s", "-z")
    .split("\0")
    .slice(0, -1)
    .map((line) => ({ object: line.split(" ")[1], path: line.split("\t")[1] }));

test.each(["2", "3", "4"])("reads version %s as git does", (version) => {
  git("init", "-q");
  git("add", "-A");
  if (version === "3") git("add", "-N", "--", ...paths.slice(0, 1));
  git("update-index", "--index-version", version);
  expect(read()?.map(({ path, object }) => ({ object, path }))).toEqual(listed());
  expect(read()?.find(({ path }) => path === ".env")?.size).toBe(4);
});

test("reads an index of a repository with longer names of objects", () => {
  git("init", "-q", "--object-format=sha256");
  git("add", "-A");
  expect(read("sha256")?.map(({ path, object }) => ({ object, path }))).toEqual(listed());
});

test("says nothing of an index that is cut, split or none", () => {
  git("init", "-q");
  expect(read()).toEqual([]);
  git("add", "-A");
  git("update-index", "--split-index");
  expect(read()).toBeUndefined();
  git("update-index", "--no-split-index");
  expect(read()).toHaveLength(paths.length);
  truncateSync(join(root, ".git/index"), 150);
  expect(read()).toBeUndefined();
  writeFileSync(join(root, ".git/index"), "nothing of the kind");
  expect(read()).toBeUndefined();
});
