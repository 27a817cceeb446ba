import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeOnce, writeWhole } from "./write-whole.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwright-write-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a file is written once, and later writers leave it as it is", () => {
  const file = join(folder, "secret");
  expect(writeOnce(file, "first", 0o600)).toBe(true);
  expect(writeOnce(file, "second", 0o600)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe("first");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["secret"]);
});

test("a file is replaced whole, and nothing else stays", () => {
  const file = join(folder, "record");
  writeWhole(file, "first", 0o600);
  writeWhole(file, "second", 0o600);
  expect(readFileSync(file, "utf8")).toBe("second");
  expect(readdirSync(folder)).toEqual(["record"]);
});

test("a folder that is not there is an error, and nothing is made", () => {
  expect(() => writeOnce(join(folder, "missing", "secret"), "x", 0o600)).toThrow("ENOENT");
  expect(readdirSync(folder)).toEqual([]);
});
