import { expect, test } from "vitest";
import { hostOf, safeLink } from "./safe-link.ts";

test.each([
  { link: "https://example.org/a?b#c", safe: true },
  { link: "http://127.0.0.1", safe: true },
  { link: "mailto:ann@example.org", safe: true },
  { link: "javascript:alert(1)", safe: false },
  { link: " JaVaScRiPt:alert(1)", safe: false },
  { link: "java\nscript:alert(1)", safe: false },
  { link: "data:text/html,x", safe: false },
  { link: "vbscript:x", safe: false },
  { link: "file:///etc/passwd", safe: false },
  { link: "//evil.example", safe: false },
  { link: "/tools", safe: false },
  { link: "", safe: false },
])("$link", ({ link, safe }) => {
  expect(safeLink(link)).toBe(safe ? link : "");
});

test("an image is named by its host, or by how it is given", () => {
  expect(["https://evil.example/x?y", "data:image/png;base64,A", "nowhere", undefined].map(hostOf)).toEqual([
    "evil.example",
    "data:",
    "",
    "",
  ]);
});
