import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileInput } from "./compile-schema.ts";

const tool = { tool: "t" };

describe("messages", () => {
  const rows: [name: string, schema: z.ZodObject, input: unknown, path: string, message: string][] = [
    ["a wrong type", z.object({ a: z.string().describe("A path.") }), { a: 3 }, "/a", "expected a string, got a number (3). A path."],
    ["a missing member", z.object({ a: z.boolean() }), {}, "/a", "missing: expected true or false."],
    ["null", z.object({ a: z.int() }), { a: null }, "/a", "expected a whole number, got null."],
    [
      "a mistyped member",
      z.object({ startLine: z.int().nullish() }),
      { start_lne: 1 },
      "/start_lne",
      'unknown member. Did you mean "startLine"?',
    ],
    [
      "a strange member",
      z.object({ a: z.int().nullish() }),
      { zebra: 1 },
      "/zebra",
      "unknown member. Members here: a. Remove or rename it.",
    ],
    [
      "a nested member",
      z.object({ a: z.array(z.object({ line: z.int().nullish() })) }),
      { a: [{ lien: 1 }] },
      "/a/0/lien",
      'unknown member. Did you mean "line"?',
    ],
    [
      "an enum",
      z.object({ a: z.enum(["red", "green"]) }),
      { a: "gren" },
      "/a",
      'expected one of "red", "green", got the text "gren". Did you mean "green"?',
    ],
    ["no text", z.object({ a: z.string().min(1) }), { a: "" }, "/a", "expected at least 1 character, got 0."],
    ["a short text", z.object({ a: z.string().min(3) }), { a: "x" }, "/a", "expected at least 3 characters, got 1."],
    ["a large number", z.object({ a: z.number().lt(3) }), { a: 9 }, "/a", "expected less than 3, got 9."],
    ["a long list", z.object({ a: z.array(z.int()).max(1) }), { a: [1, 2] }, "/a", "expected at most 1 item, got 2."],
    ["a format", z.object({ a: z.email() }), { a: "x" }, "/a", 'expected text in the form "email", got the text "x".'],
    ["the author's own words", z.object({ a: z.string({ error: "Give the path" }) }), { a: 1 }, "/a", "Give the path."],
    [
      "a union by type",
      z.object({ a: z.union([z.number(), z.boolean()]) }),
      { a: "x" },
      "/a",
      'expected a number or true or false, got the text "x".',
    ],
    [
      "a union by its closest branch",
      z.object({ a: z.union([z.int(), z.object({ b: z.int() })]) }),
      { a: {} },
      "/a/b",
      "missing: expected a whole number.",
    ],
    ["a slash in a name", z.object({ "a/b": z.int() }), { "a/b": "x" }, "/a~1b", 'expected a whole number, got the text "x".'],
    ["no object", z.object({}), [1], "", "expected an object, got an array of 1."],
  ];
  test.each(rows)("%s", (...[, schema, input, path, message]) => {
    const outcome = compileInput(schema, tool).parse(input);
    expect(outcome).toEqual({ ok: false, issues: [{ path, message }] });
  });
});

test("an input that is wrong in tens of thousands of places is answered in short", () => {
  const names = Array.from({ length: 20 }, (_, index) => `${"x".repeat(60)}${index}`) as [string, ...string[]];
  const { parse } = compileInput(z.object({ list: z.array(z.enum(names)) }), tool);
  const strange = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`${"y".repeat(60)}${index}`, 1]));
  for (const input of [{ list: Array.from({ length: 40_000 }, () => "z".repeat(62)) }, { list: [], ...strange }]) {
    const outcome = parse(input);
    expect(outcome.ok || outcome.issues.length).toBe(51);
    expect(outcome.ok || outcome.issues.at(-1)).toEqual({ path: "", message: "more is wrong than is listed here." });
  }
});
