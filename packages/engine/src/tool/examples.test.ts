import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ToolwrightError } from "../contract/errors.ts";
import { checkExamples } from "./examples.ts";

const schema = z
  .object({ path: z.string(), lines: z.array(z.object({ from: z.int(), to: z.int().nullish() })) })
  .refine(({ lines }) => lines.length > 0);
const union = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("a"), x: z.string() }),
  z.object({ kind: z.literal("b"), y: z.int() }),
]);

describe("examples against the partial input", () => {
  const good: [name: string, schema: z.ZodObject | z.ZodDiscriminatedUnion, input: Record<string, never>][] = [
    ["the whole input", schema, { path: "a", lines: [{ from: 1 }] } as never],
    ["a part of it", schema, { path: "a" } as never],
    ["nothing", schema, {}],
    ["a branch of a union", union, { kind: "b", y: 1 } as never],
    ["a part of a branch", union, { y: 1 } as never],
  ];
  test.each(good)("accepts %s", (_, input, example) => {
    expect(() => checkExamples({ name: "t", examples: [{ label: "One", input: example }] }, input)).not.toThrow();
  });

  const bad: [name: string, schema: z.ZodObject | z.ZodDiscriminatedUnion, input: unknown, path: string][] = [
    ["a wrong type", schema, { path: 1 }, "/path"],
    ["a nested wrong type", schema, { lines: [{ from: "1" }] }, "/lines/0/from"],
    ["a nested missing member", schema, { lines: [{}] }, "/lines/0/from"],
    ["a mistyped member", schema, { pth: "a" }, "/pth"],
    ["a nested mistyped member", schema, { lines: [{ from: 1, too: 2 }] }, "/lines/0/too"],
    ["a prototype", schema, JSON.parse('{"__proto__":{"x":1}}'), "/__proto__"],
    ["members of two branches", union, { kind: "a", y: 1 }, "/y"],
  ];
  test.each(bad)("refuses %s and names tool, example and place", (_, input, example, path) => {
    let caught: unknown;
    try {
      checkExamples({ name: "my_tool", examples: [{ label: "A whole file", input: example as never }] }, input);
    } catch (error) {
      caught = error;
    }
    expect(ToolwrightError.is(caught) && caught.code).toBe("definition_invalid");
    expect(String(caught)).toContain('Tool "my_tool", example "A whole file"');
    expect(String(caught)).toContain(`${path}:`);
  });
});
