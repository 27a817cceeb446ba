import { chmodSync, chownSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { requireStoreFolder } from "./store-folder.ts";

/** Whom no right binds is root: his tests are done as nobody. */
const nobody = 65_534;
const isRoot = process.geteuid?.() === 0;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "toolwright-folder-"));
  if (isRoot) chownSync(root, nobody, nobody);
});
afterEach(() => {
  chmodSync(root, 0o700);
  rmSync(root, { recursive: true, force: true });
});

function problemOf(folder: string): unknown {
  if (isRoot) process.seteuid?.(nobody);
  try {
    requireStoreFolder(folder);
  } catch (error) {
    return error;
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
  return undefined;
}

const told = (words: RegExp) => ({ code: "store_failed", message: expect.stringMatching(words) });

describe("the folder of a store", () => {
  test("is made with those above it, for its user alone", () => {
    const folder = join(root, "a/b/store");
    expect(problemOf(folder)).toBeUndefined();
    expect(problemOf(folder)).toBeUndefined();
    for (const made of ["a", "a/b", "a/b/store"]) expect(statSync(join(root, made)).mode & 0o777).toBe(0o700);
  });

  test("that the user may not make is told with path, user and what to do", () => {
    chmodSync(root, 0o500);
    const folder = join(root, "state/store");
    expect(problemOf(folder)).toMatchObject(
      told(
        /kept in .*\/state\/store: tried to make .*\/state, but this user has no right to \(EACCES\)\. .* runs as the user \w+ \(\d+\)\. .* TOOLWRIGHT_STATE/,
      ),
    );
  });

  test.skipIf(!existsSync("/proc/self"))("where nothing can be made is told, and not tried for ever", () => {
    expect(problemOf("/proc/nope/store")).toMatchObject(told(/tried to make \/proc\/nope, but/));
  });

  test("behind a file or a device, or that is one, is told", () => {
    writeFileSync(join(root, "file"), "");
    expect(problemOf(join(root, "file"))).toMatchObject(told(/there is something there that is no folder/));
    expect(problemOf(join(root, "file", "store"))).toMatchObject(told(/a part of the path is no folder \(ENOTDIR\)/));
    expect(problemOf("/dev/null/store")).toMatchObject(told(/tried to make \/dev\/null/));
  });
});
