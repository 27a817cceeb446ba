import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileInput } from "./compile-schema.ts";
import { parseInput } from "./parse-input.ts";

const compile = (shape: z.ZodRawShape) => compileInput(z.object(shape), { tool: "t" });
const item = z.object({ id: z.int() });

describe("repairs that guess nothing (pain #23)", () => {
  const rows: [name: string, shape: z.ZodRawShape, input: unknown, value: unknown, repairs: [path: string, what: string][]][] = [
    ["a number as text", { a: z.number() }, { a: "-1.5e3" }, { a: -1500 }, [["/a", "read the text as a number"]]],
    ["a nullable whole number as text", { a: z.int().min(1).nullish() }, { a: "3" }, { a: 3 }, [["/a", "read the text as a number"]]],
    ["a boolean as text", { a: z.boolean() }, { a: "false" }, { a: false }, [["/a", "read the text as false"]]],
    ["a literal as text", { a: z.literal([1, 2]) }, { a: "2" }, { a: 2 }, [["/a", "read the text as a number"]]],
    ["an array as JSON text", { a: z.array(z.int()) }, { a: "[1,2]" }, { a: [1, 2] }, [["/a", "read the text as the JSON of an array"]]],
    ["an object as JSON text", { a: item }, { a: '{"id":1}' }, { a: { id: 1 } }, [["/a", "read the text as the JSON of an object"]]],
    [
      "a record as JSON text",
      { a: z.record(z.string(), z.int()) },
      { a: '{"id":1}' },
      { a: { id: 1 } },
      [["/a", "read the text as the JSON of an object"]],
    ],
    ["the whole input as JSON text", { a: z.int() }, '{"a":1}', { a: 1 }, [["", "read the text as the JSON of an object"]]],
    [
      "a text for the one text that is needed",
      { command: z.string(), workdir: z.string().optional() },
      "ls -la",
      { command: "ls -la" },
      [["", 'took the whole text as "command"']],
    ],
    ["null for an absent optional", { a: z.string().optional() }, { a: null }, {}, [["/a", "left out null: the member is optional"]]],
    ["null for a default", { a: z.int().default(4) }, { a: null }, { a: 4 }, [["/a", "left out null: the member is optional"]]],
    ["null for an optional enum", { a: z.enum(["x"]).optional() }, { a: null }, {}, [["/a", "left out null: the member is optional"]]],
    [
      "text within JSON text within a list",
      { list: z.array(item) },
      { list: '[{"id":"7"}]' },
      { list: [{ id: 7 }] },
      [
        ["/list", "read the text as the JSON of an array"],
        ["/list/0/id", "read the text as a number"],
      ],
    ],
    [
      "the one branch of a union that text can be",
      { a: z.union([z.number(), z.boolean()]) },
      { a: "true" },
      { a: true },
      [["/a", "read the text as true"]],
    ],
    [
      "an alias for a missing member",
      { command: z.string() },
      { cmd: "ls" },
      { command: "ls" },
      [["/command", 'took "cmd" as another name for "command"']],
    ],
    [
      "an alias whose value needs a repair",
      { count: z.int() },
      { n: "3" },
      { count: 3 },
      [
        ["/count", 'took "n" as another name for "count"'],
        ["/count", "read the text as a number"],
      ],
    ],
  ];
  test.each(rows)("%s", (...[, shape, input, value, repairs]) => {
    const sent = structuredClone(input);
    const parsed = parseInput(compile(shape), input, { aliases: { cmd: "command", n: "count" } });
    expect(parsed).toEqual({ ok: true, value, repairs: repairs.map(([path, what]) => ({ path, what })) });
    expect(input).toEqual(sent);
  });

  const refused: [name: string, shape: z.ZodRawShape, input: unknown, path: string][] = [
    ["a number with a leading zero", { a: z.number() }, { a: "007" }, "/a"],
    ["a number in words around it", { a: z.number() }, { a: " 3" }, "/a"],
    ["hexadecimal", { a: z.number() }, { a: "0x10" }, "/a"],
    ["no text at all", { a: z.number() }, { a: "" }, "/a"],
    ["a number that a double cannot keep", { a: z.number() }, { a: "12345678901234567890" }, "/a"],
    ["a number beyond infinity", { a: z.number() }, { a: "1e400" }, "/a"],
    ["a number that would become zero", { a: z.number() }, { a: "1e-400" }, "/a"],
    ["a fraction for a whole number", { a: z.int() }, { a: "1.5" }, "/a"],
    ["yes for true", { a: z.boolean() }, { a: "yes" }, "/a"],
    ["1 for true", { a: z.boolean() }, { a: 1 }, "/a"],
    ["a number for text", { a: z.string() }, { a: 1 }, "/a"],
    ["null for a required member", { a: z.string() }, { a: null }, "/a"],
    ["null in a list", { a: z.array(z.string()) }, { a: [null] }, "/a/0"],
    ["one text for a list: it may be one item or two", { a: z.array(z.string()) }, { a: "x, y" }, "/a"],
    ["one object for a list", { a: z.array(item) }, { a: { id: 1 } }, "/a"],
    ["broken JSON text", { a: item }, { a: '{"id":1' }, "/a"],
    ["JSON text of the wrong kind", { a: item }, { a: "[1]" }, "/a"],
    ["JSON text that is nested too deep", { a: item }, { a: `${"[".repeat(100_000)}${"]".repeat(100_000)}` }, "/a"],
    ["an alias beside the real member", { command: z.string() }, { command: "a", cmd: "b" }, "/cmd"],
    ["two aliases for one member", { command: z.string() }, { cmd: "a", run: "b" }, "/run"],
    ["a mistyped member", { path: z.string() }, { pth: "a" }, "/pth"],
    ["a prototype in JSON text", { a: item }, { a: '{"id":1,"__proto__":{"x":1}}' }, "/a/__proto__"],
  ];
  test.each(refused)("does not repair %s", (_, shape, input, path) => {
    const parsed = parseInput(compile(shape), input, { aliases: { cmd: "command", run: "command" } });
    expect(parsed).toMatchObject({ ok: false, issues: expect.arrayContaining([expect.objectContaining({ path })]) });
  });

  test("does not choose between two branches of a union that could both be meant", () => {
    const schema = compile({ a: z.union([z.object({ x: z.int(), y: z.string() }), z.object({ x: z.string(), y: z.int() })]) });
    expect(parseInput(schema, { a: { x: "1", y: "2" } }).ok).toBe(false);
  });

  test("leaves out nulls for the members of other branches of a union at the top", () => {
    const schema = compileInput(
      z.discriminatedUnion("kind", [z.object({ kind: z.literal("a"), x: z.string() }), z.object({ kind: z.literal("b"), y: z.int() })]),
      { tool: "t" },
    );
    expect(parseInput(schema, { kind: "b", x: null, y: "2" })).toEqual({
      ok: true,
      value: { kind: "b", y: 2 },
      repairs: [
        { path: "/y", what: "read the text as a number" },
        { path: "/x", what: "left out null: the member does not go together with the others" },
      ],
    });
  });
});

test.each<[name: string, shape: z.ZodRawShape, input: string]>([
  ["two texts are needed", { from: z.string(), to: z.string() }, "a.txt"],
  ["a number is needed", { count: z.int() }, "many"],
  ["nothing is needed", { path: z.string().optional() }, "a.txt"],
  ["it begins like JSON", { command: z.string() }, '{"command": "ls'],
])("a text in the place of an object is refused where %s", (_name, shape, input) => {
  expect(parseInput(compile(shape), input)).toMatchObject({ ok: false, message: expect.stringContaining("- /: ") });
});

test("null for a required member is named as null, not as missing", () => {
  expect(parseInput(compile({ a: z.string(), b: z.int() }), { a: null, b: "1" })).toMatchObject({
    issues: [{ path: "/a", message: "expected a string, got null." }],
  });
});

test("an input with hundreds of repairs to make is refused", () => {
  const parsed = parseInput(compile({ a: z.array(z.int()) }), { a: Array.from({ length: 40_000 }, () => "1") });
  expect(parsed.ok).toBe(false);
});

test("an exact input is not touched", () => {
  const schema = compile({ a: z.string(), n: z.null() });
  expect(parseInput(schema, { a: "3", n: null })).toEqual({ ok: true, value: { a: "3", n: null }, repairs: [] });
});

test("a refusal names every place in one message, ten at most", () => {
  const shape = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`m${index}`, z.string()]));
  const parsed = parseInput(compile(shape), {});
  expect(parsed).toMatchObject({ ok: false });
  if (!parsed.ok) {
    expect(parsed.issues).toHaveLength(12);
    expect(parsed.message).toMatch(/^The input does not fit\. Correct this and call again:\n- \/m0: missing: expected a string\.\n/);
    expect(parsed.message).toMatch(/- and 2 more$/);
  }
});
