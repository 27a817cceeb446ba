import { expect, test } from "vitest";
import { z } from "zod";
import { readFields } from "./read-fields.ts";

const schema = z.toJSONSchema(
  z.object({
    path: z.string(),
    startLine: z.int().nullish(),
    ratio: z.number().optional(),
    dry_run: z.boolean().default(false),
    tags: z.array(z.string()).nullish(),
    counts: z.array(z.int()).optional(),
    mode: z.enum(["fast", "slow"]).optional(),
    headers: z.object({ accept: z.string(), depth: z.int() }).optional(),
  }),
  { io: "input" },
) as never;

const read = (...words: string[]) => readFields(words, schema, "sample");

test.each<[string, string[], unknown]>([
  ["nothing", [], {}],
  ["a JSON object", ['{"path":"a","startLine":3}'], { path: "a", startLine: 3 }],
  ["a text", ["--path", "a b"], { path: "a b" }],
  ["a text that looks like a number", ["--path", "42"], { path: "42" }],
  ["a text that looks like JSON", ["--path", "{}"], { path: "{}" }],
  ["a value after =", ["--path=a=b"], { path: "a=b" }],
  ["an empty value after =", ["--path="], { path: "" }],
  ["a number in another spelling of the name", ["--start-line", "3"], { startLine: 3 }],
  ["a negative number", ["--ratio", "-0.5"], { ratio: -0.5 }],
  ["a number that is none, which the schema will refuse", ["--start-line", "three"], { startLine: "three" }],
  ["a switch", ["--dry-run", "--path", "a"], { dry_run: true, path: "a" }],
  ["a switch with its value", ["--dry-run", "false"], { dry_run: false }],
  ["a switch that is denied", ["--no-dry-run"], { dry_run: false }],
  ["one item of a list", ["--tags", "a"], { tags: ["a"] }],
  ["several items of a list", ["--tags", "a", "--tags", "b"], { tags: ["a", "b"] }],
  ["a whole list", ["--counts", "[1,2]"], { counts: [1, 2] }],
  ["items that are numbers", ["--counts", "1", "--counts", "2"], { counts: [1, 2] }],
  ["a member of an object", ["--headers.accept", "text/html", "--headers.depth", "2"], { headers: { accept: "text/html", depth: 2 } }],
  ["an object", ["--headers", '{"accept":"a","depth":1}'], { headers: { accept: "a", depth: 1 } }],
  ["fields that win over JSON", ['{"path":"a","mode":"fast"}', "--mode", "slow"], { path: "a", mode: "slow" }],
])("reads %s", (_, words, expected) => {
  expect(read(...words)).toEqual(expected);
});

test.each<[string, string[], RegExp]>([
  ["a mistyped field", ["--pth", "a"], /no field "pth"\. Did you mean --path\?.*--startLine/],
  ["a field that nothing is near to", ["--zzzzzz", "a"], /no field "zzzzzz"\. Its fields/],
  ["a field without its value", ["--path"], /--path of "sample" needs a value, e\.g\. --path <string>/],
  ["broken JSON", ["{path}"], /is not JSON: .*Write an object/],
  ["JSON that is no object", ["[1]"], /must be a JSON object, and this is a list/],
  ["a stray word", ["{}", "stray"], /"stray" is neither JSON nor a field.*--path <value>/],
])("refuses %s and says what to do", (_, words, expected) => {
  expect(() => read(...words)).toThrow(expected);
});

test("a member named like Object's own is data", () => {
  const input = readFields(["--headers.__proto__", "x"], { type: "object", properties: { headers: { type: "object" } } }, "t");
  expect(Object.getOwnPropertyNames(input.headers)).toEqual(["__proto__"]);
  expect(({} as Record<string, unknown>).x).toBeUndefined();
});
