import { describe, expect, it } from "vitest";
import { z } from "zod";
import { compileInput, compileOutput } from "./compile-schema.ts";
import { hiddenForm, isHidden } from "./sensitive.ts";

const secret = () => z.string().meta({ sensitive: true });
const compile = (shape: z.ZodObject | z.ZodDiscriminatedUnion) => compileOutput(shape, { tool: "t", exceptions: [] });
const hide = (schema: z.ZodObject | z.ZodDiscriminatedUnion, value: unknown) => compile(schema).sensitive?.hide(value);

interface Tree {
  readonly pin?: string | undefined;
  readonly below?: readonly Tree[] | undefined;
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ pin: secret().optional(), below: z.array(tree).optional() }));

describe("sensitive members of a schema (R-SM-1)", () => {
  it("costs nothing where a schema marks none", () => {
    expect(compile(z.object({ a: z.string(), b: z.array(z.object({ c: z.int() })) })).sensitive).toBeUndefined();
  });

  it.each([
    ["a text", z.object({ a: secret(), b: z.string() }), { a: "abc", b: "abc" }, { a: "[sensitive, 3 characters]", b: "abc" }],
    [
      "an optional text that is described",
      z.object({ a: secret().optional().describe("It") }),
      { a: "x" },
      { a: "[sensitive, 1 character]" },
    ],
    ["what is null or absent", z.object({ a: secret().nullish(), b: secret().optional() }), { a: null }, { a: null }],
    ["a number", z.object({ a: z.int().meta({ sensitive: true }) }), { a: 1234 }, { a: "[sensitive]" }],
    [
      "a whole object",
      z.object({ a: z.object({ b: z.string() }).meta({ sensitive: true }) }),
      { a: { b: "x" } },
      { a: "[sensitive, 1 member]" },
    ],
    [
      "items of a list",
      z.object({ a: z.array(secret()) }),
      { a: ["ab", ""] },
      { a: ["[sensitive, 2 characters]", "[sensitive, 0 characters]"] },
    ],
    ["a whole list", z.object({ a: z.array(z.string()).meta({ sensitive: true }) }), { a: ["x", "y"] }, { a: "[sensitive, 2 items]" }],
    ["values of a record", z.object({ a: z.record(z.string(), secret()) }), { a: { k: "v" } }, { a: { k: "[sensitive, 1 character]" } }],
    [
      "a member at depth",
      z.object({ a: z.array(z.object({ b: z.object({ c: secret(), d: z.string() }) })) }),
      { a: [{ b: { c: "x", d: "y" } }] },
      { a: [{ b: { c: "[sensitive, 1 character]", d: "y" } }] },
    ],
    [
      "one branch of a union at the top",
      z.discriminatedUnion("k", [z.object({ k: z.literal("a"), v: secret() }), z.object({ k: z.literal("b"), v: z.string() })]),
      { k: "b", v: "xy" },
      { k: "b", v: "[sensitive, 2 characters]" },
    ],
    [
      "a branch of a union inside",
      z.object({ a: z.union([z.object({ p: secret() }), z.string()]) }),
      { a: { p: "x" } },
      { a: { p: "[sensitive, 1 character]" } },
    ],
    ["a text beside such a branch", z.object({ a: z.union([z.object({ p: secret() }), z.string()]) }), { a: "plain" }, { a: "plain" }],
    [
      "a schema that refers to itself",
      z.object({ t: tree }),
      { t: { pin: "1", below: [{ pin: "22", below: [{}] }] } },
      { t: { pin: "[sensitive, 1 character]", below: [{ pin: "[sensitive, 2 characters]", below: [{}] }] } },
    ],
    ["an item of a tuple", z.object({ a: z.tuple([z.string(), secret()]) }), { a: ["u", "p"] }, { a: ["u", "[sensitive, 1 character]"] }],
    ["what is write-only", z.object({ a: z.string().meta({ writeOnly: true }) }), { a: "x" }, { a: "[sensitive, 1 character]" }],
    ["a password", z.object({ a: z.string().meta({ format: "password" }) }), { a: "x" }, { a: "[sensitive, 1 character]" }],
  ])("puts the length in place of %s", (_, schema, value, expected) => {
    const before = structuredClone(value);
    expect(hide(schema as z.ZodObject, value)).toEqual(expected);
    expect(value).toEqual(before);
  });

  it("hides a text whole that may be the JSON of what holds the member", () => {
    const schema = z.object({ auth: z.object({ password: secret() }) });
    expect(hide(schema, { auth: '{"password":"hunter2"}' })).toEqual({ auth: "[sensitive, 22 characters]" });
    expect(hide(schema, '{"auth":1}')).toBe("[sensitive, 10 characters]");
  });

  it("knows which messages could quote a sensitive member", () => {
    const { sensitive } = compileInput(z.object({ a: z.object({ p: secret() }), l: z.array(secret()), o: z.string() }), {
      tool: "t",
      exceptions: [],
    });
    expect(["/a/p", "/a", "/l/0", "/l", "", "/o", "/x"].map((each) => sensitive?.covers(each))).toEqual([
      true,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it("knows its own marks", () => {
    for (const value of ["abc", "", [1], { a: 1 }, 5, true]) expect(isHidden(hiddenForm(value))).toBe(true);
    for (const value of ["[sensitive, many characters]", "sensitive", 5, null, "[sensitive, 3 characters] "])
      expect(isHidden(value)).toBe(false);
  });
});
