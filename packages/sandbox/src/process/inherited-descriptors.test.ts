import { closeSync, openSync } from "node:fs";
import { expect, test } from "vitest";
import { findInherited, withDescriptors } from "./inherited-descriptors.ts";

test("R-SB-9 what Node opens itself is not handed on, so only the caller's own list reaches a child", () => {
  const own = openSync("/", "r");
  expect(findInherited()).not.toContain(own);
  closeSync(own);
});

test("R-SB-9 a child is given what the caller says, and nothing but /dev/null behind it", () => {
  const stdio = withDescriptors(["ignore", "pipe"], (given) => given);
  expect(stdio.slice(0, 2)).toEqual(["ignore", "pipe"]);
  for (const entry of stdio.slice(2)) expect(entry === "ignore" || typeof entry === "number").toBe(true);
});
