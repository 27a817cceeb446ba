import { expect, test } from "vitest";
import { nearestName } from "./nearest-name.ts";

const names = ["path", "startLine", "command", "cwd", "no_tuple"];

test.each([
  ["pth", "path"],
  ["paht", "path"],
  ["start_line", "startLine"],
  ["comand", "command"],
  ["CWD", "cwd"],
  ["no_tupel", "no_tuple"],
])("%s is close to %s", (typed, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});

test.each(["zebra", "x", "", "__proto__", "x".repeat(100_000)])("%.20s is close to nothing", (typed) => {
  expect(nearestName(typed, names)).toBeUndefined();
});
