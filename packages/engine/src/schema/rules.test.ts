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
  ["no_format_uri", "z.url", input(z.url()), "/member"],
  ["no_format_uri", "a URL in a union branch", z.union([input(z.url()), z.object({ other: z.int() })]), "/member"],
  ["optional_must_be_nullable", "an optional", input(z.string().optional()), "/member"],
  ["optional_must_be_nullable", "a nested optional", input(z.array(z.object({ a: z.enum(["x"]).optional() }))), "/member/[]/a"],
  ["no_open_record", "z.record", input(z.record(z.string(), z.string())), "/member"],
  ["no_open_record", "z.looseObject at the top", z.looseObject({}), "/"],
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
      // JSON of any kind is recursive and open at once.
      const together = ["no_recursion", "no_open_record"];
      expect(compile(schema, together.includes(rule) ? together : [rule]).json.type).toBe("object");
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
    const error = refusal(() => compileInput(z.object({}), { tool: "t", exceptions: ["no_open_records"] }));
    expect(error.message).toBe('Tool "t" excepts the schema rule "no_open_records". Did you mean "no_open_record"?');
  });
  test("a rule that nothing can break does not accept one", () => {
    expect(refusal(() => compileInput(z.object({}), { tool: "t", exceptions: ["object_at_top"] })).message).toContain(
      "allows no exception",
    );
  });
  test("an excepted loose object lets unknown members pass", () => {
    const { parse } = compileInput(z.looseObject({ a: z.int() }), { tool: "t", exceptions: ["no_open_record"] });
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

test("defaults are exempt from optional_must_be_nullable: null is repaired to the default", () => {
  expect(compileInput(z.object({ limit: z.int().default(10) }), { tool: "t" }).json).toMatchObject({
    properties: { limit: { default: 10 } },
  });
});
