import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseGlob } from "./glob-pattern.ts";

describe("a glob matches", () => {
  test.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "deep/down/a.ts", true],
    ["*.ts", "a.tsx", false],
    ["/*.ts", "a.ts", true],
    ["./src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/deep/a.ts", false],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "src/x/y/a.ts", true],
    ["**/test/**", "a/test/b/c.ts", true],
    ["**/test/**", "a/testing/c.ts", false],
    ["**", "any/thing", true],
    ["?.md", "é.md", true],
    ["?.md", "ab.md", false],
    ["*.{ts,tsx}", "a.tsx", true],
    ["{src,test}/**/*.{js,{m,c}js}", "test/x.cjs", true],
    ["{src,test}/**/*.{js,{m,c}js}", "docs/x.js", false],
    ["app/[id]/page.tsx", "app/[id]/page.tsx", true],
    ["{a}.txt", "{a}.txt", true],
    [".env*", "x/.env.local", true],
    ["a*b*c", "a-b-b-c", true],
    ["!x", "x", false],
    ["-rf", "-rf", true],
  ])("%s on %s: %s", (glob, path, expected) => expect(parseGlob(glob).matches(path)).toBe(expected));
});

test.each([
  ["empty", ""],
  ["only a slash", "/"],
  ["too long", "a".repeat(1001)],
  ["too many alternatives", "{a,b}".repeat(7)],
])("a glob that is %s is refused", (_, glob) => expect(() => parseGlob(glob)).toThrow(expect.objectContaining({ code: "invalid_input" })));

test("no glob takes long, however many stars it has", () => {
  const started = performance.now();
  expect(parseGlob(`${"*a".repeat(400)}b`).matches("a".repeat(250))).toBe(false);
  expect(parseGlob(`${"**/a/".repeat(180)}b`).matches("a/".repeat(60))).toBe(false);
  expect(performance.now() - started).toBeLessThan(500);
});

test("every match has one of the names that narrow the search", () => {
  const part = fc.constantFrom("a", "b.ts", "*", "*.ts", "**", "?", "{a,b.ts}", "{*.ts,x}");
  const glob = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const path = fc.array(fc.constantFrom("a", "b.ts", "x", "c.ts"), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(glob, path, (text, parts) => {
      const { matches, names } = parseGlob(text);
      if (matches(parts.join("/"))) expect(names.some((name) => parseGlob(`/${name}`).matches(parts.at(-1)!))).toBe(true);
    }),
  );
});
