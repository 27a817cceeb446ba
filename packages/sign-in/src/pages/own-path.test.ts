import { expect, test } from "vitest";
import { ownPath } from "./own-path.ts";

test.each(["/", "/tools", "/tools/exec?tab=json&call=call_1#x", "/calls/a%2Fb", "/a//b"])("%s is of this server", (text) => {
  expect(ownPath(text)).toBe(text);
});

test.each([
  "",
  "tools",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "https://evil.example",
  "https:/evil.example",
  "javascript:alert(1)",
  " //evil.example",
  "\u0000//evil.example",
  "/a\\..\\..",
])("%j leads elsewhere, or is no path", (text) => {
  expect(ownPath(text)).toBeUndefined();
});
