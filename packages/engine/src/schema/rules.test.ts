import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { type CompiledSchema, compileInput, compileOutput } from "./compile-schema.ts";
import { schemaRules } from "./rules.ts";

const Node = z.object({
  name: z.string(),
  get children() {
    return z.array(Node);
  },
});

const input = (member: z.ZodType) => z.object({ member });
type Row = [rule: string, name: string, schema: z.ZodType, path: string];
const inputRows: Row[] = [
  ["object_at_top", "text", z.string(), "/"],
  ["object_at_top", "a union with text", z.union([z.object({}), z.string()]), "/"],
  ["object_at_top", "an array", z.array(z.string()), "/"],
  ["representable", "z.bigint", input(z.bigint().nullish()), "/member"],
  ["representable", "z.date", input(z.array(z.date())), "/member/[]"],
  ["representable", "z.map", input(z.map(z.string(), z.string())), "/member"],
  ["representable", "z.set", input(z.set(z.string())), "/member"],
  ["representable", "z.symbol", input(z.symbol()), "/member"],
  ["representable", "z.undefined", input(z.undefined()), "/member"],
  ["representable", "z.void", input(z.void()), "/member"],
  ["representable", "z.nan", input(z.nan()), "/member"],
  ["representable", "z.file", input(z.file()), "/member"],
  ["representable", "z.instanceof", input(z.instanceof(URL)), "/member"],
  ["representable", "z.function", input(z.function() as unknown as z.ZodType), "/member"],
  ["representable", "a bigint literal", input(z.literal(3n)), "/member"],
  ["representable", "JSON Schema instead of Zod", { type: "object" } as unknown as z.ZodType, "/"],
  ["no_async_refinement", "an async refine", input(z.string().refine(async () => true)), "/member"],
  ["no_async_refinement", "an async check", input(z.object({}).check(async () => {})), "/member"],
  ["no_inherited_name", "constructor", z.object({ constructor: z.string() }), "/constructor"],
  ["no_inherited_name", "__proto__", z.object({ ["__proto__"]: z.string() }), "/__proto__"],
  ["no_tuple", "z.tuple", input(z.tuple([z.string(), z.int()])), "/member"],
  [
    "no_intersection",
    "an intersection with a union twice",
    input(
      z.intersection(
        z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]),
        z.union([z.object({ c: z.int() }), z.object({ d: z.int() })]),
      ),
    ),
    "/member",
  ],
  ["no_recursion", "an object that contains itself", Node, "/children/[]"],
  ["no_recursion", "z.json", input(z.json()), "/member"],
  ["no_untyped", "z.any", input(z.any()), "/member"],
  ["no_untyped", "z.unknown in a list", input(z.array(z.unknown())), "/member/[]"],
  ["no_transform", "a transform", input(z.string().transform(Number)), "/member"],
  ["no_transform", "z.preprocess", input(z.preprocess((value) => value, z.string())), "/member"],
  ["no_transform", "z.stringbool", input(z.stringbool()), "/member"],
  ["no_coercion", "z.coerce", input(z.coerce.number()), "/member"],
  ["no_catch", "catch", input(z.string().catch("x")), "/member"],
];
const outputRows: Row[] = [
  ["output_required", "no schema", undefined as unknown as z.ZodType, "/"],
  ["object_at_top", "an array", z.array(z.string()), "/"],
  ["representable", "a bare transform", input(z.string().transform(Number)), "/member"],
  ["representable", "z.date", input(z.date()), "/member"],
  ["no_async_refinement", "an async refine", input(z.string().refine(async () => true)), "/member"],
  ["no_inherited_name", "toString", z.object({ toString: z.string() }), "/toString"],
];

function refusal(compile: () => CompiledSchema): ToolwrightError {
  try {
    compile();
  } catch (error) {
    if (ToolwrightError.is(error)) return error;
    throw error;
  }
  throw new Error("the schema was accepted");
}

describe.each([
  ["input", inputRows, (schema: z.ZodType, exceptions?: string[]) => compileInput(schema as never, { tool: "my_tool", exceptions })],
  ["output", outputRows, (schema: z.ZodType, exceptions?: string[]) => compileOutput(schema, { tool: "my_tool", exceptions })],
] as const)("schema rules of an %s", (side, rows, compile) => {
  test.each(rows as Row[])("%s refuses %s with tool, place and fix", (rule, _, schema, path) => {
    const error = refusal(() => compile(schema));
    expect(error.code).toBe("schema_refused");
    expect(error.message).toContain('tool "my_tool"');
    expect(error.details).toContainEqual({ rule, path, problem: expect.any(String), fix: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(error.message).toContain(`(${rule})`);
  });

  test.each((rows as Row[]).filter(([rule]) => schemaRules.find(({ name }) => name === rule)?.exceptable))(
    "%s on %s can be excepted by name",
    (rule, _, schema) => {
      expect(compile(schema, [rule]).json.type).toBe("object");
    },
  );

  test(`every rule for an ${side} is shown by a row`, () => {
    const meant = schemaRules.filter((rule) => rule.side === side || (rule.side === "both" && side === "input")).map(({ name }) => name);
    expect(new Set((rows as Row[]).map(([rule]) => rule))).toEqual(
      new Set([...meant, ...(side === "output" ? ["object_at_top", "no_inherited_name", "representable", "no_async_refinement"] : [])]),
    );
  });
});

describe("exceptions", () => {
  test("an unknown name is refused with the nearest known one", () => {
    const error = refusal(() => compileInput(z.object({}), { tool: "t", exceptions: ["no_tuples"] }));
    expect(error.message).toBe('Tool "t" excepts the schema rule "no_tuples". Did you mean "no_tuple"?');
  });
  test("a rule that nothing can break does not accept one", () => {
    expect(refusal(() => compileInput(z.object({}), { tool: "t", exceptions: ["object_at_top"] })).message).toContain(
      "allows no exception",
    );
  });
  test("a loose object lets unknown members pass", () => {
    const { parse } = compileInput(z.looseObject({ a: z.int() }), { tool: "t" });
    expect(parse({ a: 1, b: 2 })).toEqual({ ok: true, value: { a: 1, b: 2 } });
  });
  test("an excepted recursive schema parses at every depth and refuses a mistyped member there", () => {
    const { parse } = compileInput(Node, { tool: "t", exceptions: ["no_recursion"] });
    expect(parse({ name: "a", children: [{ name: "b", children: [] }] }).ok).toBe(true);
    expect(parse({ name: "a", children: [{ nme: "b", name: "b", children: [] }] })).toMatchObject({
      issues: [{ path: "/children/0/nme", message: 'unknown member. Did you mean "name"?' }],
    });
  });
});

describe("what one target cannot say loads, and is rewritten for that target", () => {
  test.each([
    ["an optional that is not nullable", z.string().optional(), { type: "string" }],
    ["a URL", z.url(), { type: "string", format: "uri" }],
    ["a record", z.record(z.string(), z.int()), { type: "object", additionalProperties: { type: "integer" } }],
    ["a loose object", z.looseObject({}), { type: "object", properties: {}, additionalProperties: {} }],
    ["a default", z.int().default(10), { type: "integer", default: 10 }],
  ] as const)("%s", (_, member, json) => {
    expect(compileInput(input(member), { tool: "t" }).json.properties).toEqual({ member: json });
  });
});
