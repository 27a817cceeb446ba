import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { describeSystemError } from "./system-words.ts";

test.each<[string, () => unknown, string]>([
  ["a file that is not there", () => readFileSync("/nowhere/at/all"), "there is no such file or folder (ENOENT)"],
  ["a folder in the place of a file", () => readFileSync("/"), "it is a folder (EISDIR)"],
  ["a file in the place of a folder", () => readFileSync("/dev/null/x"), "a part of the path is no folder (ENOTDIR)"],
  ["a file that is not packed", () => gunzipSync("hello, hello"), "it is not packed with gzip, or damaged (Z_DATA_ERROR)"],
])("%s is told in words, with the code", (_words, fail, expected) => {
  let told = "";
  try {
    fail();
  } catch (error) {
    told = describeSystemError(error);
  }
  expect(told).toBe(expected);
});

test("an error that nobody has words for keeps its own", () => {
  expect(describeSystemError(Object.assign(new Error("odd"), { code: "EODD" }))).toBe("odd");
  expect(describeSystemError("text")).toBe("text");
});
