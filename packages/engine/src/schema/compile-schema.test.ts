import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileInput, compileOutput } from "./compile-schema.ts";

const tool = { tool: "t" };
const search = compileInput(
  z.object({
    path: z.string().describe("Path relative to the workspace"),
    startLine: z.int().min(1).nullish(),
    mode: z.enum(["text", "glob"]).default("text"),
  }),
  tool,
);

describe("JSON Schema", () => {
  test("is closed, small and without a dialect name", () => {
    expect(search.json).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "Path relative to the workspace" },
        startLine: { type: ["integer", "null"], minimum: 1 },
        mode: { type: "string", enum: ["text", "glob"], default: "text" },
      },
      required: ["path"],
      additionalProperties: false,
    });
  });

  test("is frozen at every level", () => {
    expect(Object.isFrozen(search.json)).toBe(true);
    expect(Object.isFrozen((search.json.properties as { path: object }).path)).toBe(true);
  });

  test("a union of literals becomes an enum, a shared definition is written in place (pain #26)", () => {
    const place = z.object({ city: z.string() }).meta({ id: "Place" });
    const { json } = compileInput(z.object({ unit: z.union([z.literal("c"), z.literal("f")]), from: place, to: place }), tool);
    const written = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };
    expect(json.properties).toEqual({ unit: { type: "string", enum: ["c", "f"] }, from: written, to: written });
  });

  test("descriptions survive optional, nullable and default wrappers", () => {
    const { json } = compileInput(z.object({ a: z.string().describe("inner").nullish(), b: z.int().default(1).describe("outer") }), tool);
    expect(json.properties).toMatchObject({ a: { description: "inner" }, b: { description: "outer" } });
  });

  test("an optional enum with a description accepts null", () => {
    const { json } = compileInput(z.object({ a: z.enum(["x"]).describe("Which").nullish() }), tool);
    expect(json.properties).toEqual({ a: { type: ["string", "null"], enum: ["x", null], description: "Which" } });
  });

  test("a schema that is built from a context compiles to its enum", () => {
    const build = (kinds: [string, ...string[]]) => compileInput(z.object({ kind: z.enum(kinds) }), tool);
    expect(build(["person", "firm"]).json.properties).toEqual({ kind: { type: "string", enum: ["person", "firm"] } });
    expect(build(["ship"]).parse({ kind: "person" }).ok).toBe(false);
  });
});

describe("a union at the top", () => {
  const shape = compileInput(
    z
      .discriminatedUnion("kind", [
        z.object({ kind: z.literal("circle"), radius: z.number(), label: z.string().nullish() }).describe("Round"),
        z.object({ kind: z.literal(["square", "box"]), side: z.number() }),
      ])
      .describe("Draws."),
    tool,
  );

  test("becomes one object with the discriminator as an enum and the choice in words (pain #9)", () => {
    expect(shape.json).toEqual({
      type: "object",
      description:
        'Draws.\nGive the members of exactly one of these:\n- kind = "circle", radius, label (optional): Round\n- kind = "square" or "box", side',
      properties: {
        kind: { type: "string", enum: ["circle", "square", "box"] },
        radius: { type: "number" },
        label: { type: ["string", "null"] },
        side: { type: "number" },
      },
      required: ["kind"],
      additionalProperties: false,
    });
  });

  test("stays exact in parse", () => {
    expect(shape.parse({ kind: "box", side: 1 })).toEqual({ ok: true, value: { kind: "box", side: 1 } });
    expect(shape.parse({ kind: "circle", radius: 1, side: 2 })).toEqual({
      ok: false,
      issues: [{ path: "/side", message: "unknown member. It does not go together with the other members: remove it." }],
    });
    expect(shape.parse({ kind: "triangle" })).toMatchObject({ issues: [{ path: "/kind" }] });
  });

  test("picks the branch that names every member, not the first that would strip one", () => {
    const { parse } = compileInput(z.union([z.object({ a: z.string() }), z.object({ a: z.string(), b: z.number() })]), tool);
    expect(parse({ a: "x", b: 1 })).toEqual({ ok: true, value: { a: "x", b: 1 } });
  });

  test("members that differ between branches accept both forms", () => {
    const { json } = compileInput(z.union([z.object({ id: z.string() }), z.object({ id: z.object({ a: z.int() }) })]), tool);
    expect(json.properties).toMatchObject({ id: { anyOf: [{ type: "string" }, { type: "object" }] } });
  });

  test("keeps a check that spans members", () => {
    const range = z.object({ from: z.int(), to: z.int() }).refine(({ from, to }) => from <= to, "from must not be after to");
    expect(compileInput(range, tool).parse({ from: 2, to: 1 })).toEqual({
      ok: false,
      issues: [{ path: "", message: "from must not be after to." }],
    });
  });
});

describe("untrusted names (law 6)", () => {
  test.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s as an unknown member is refused by name", (name) => {
    const outcome = search.parse(JSON.parse(`{"path":"a","${name}":{"polluted":1}}`));
    expect(outcome).toMatchObject({ ok: false, issues: [{ path: `/${name}` }] });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe("checks that misbehave", () => {
  test("a throwing check is an issue, not an exception", () => {
    const schema = z.object({
      a: z.string().refine(() => {
        throw new Error("secret detail");
      }),
    });
    const outcome = compileInput(schema, tool).parse({ a: "x" });
    expect(outcome).toMatchObject({ ok: false, issues: [{ path: "" }] });
    expect(JSON.stringify(outcome)).not.toContain("secret detail");
  });
  test("a promise from a check that does not look asynchronous is an issue", () => {
    const schema = z.object({ a: z.string().refine(() => Promise.resolve(true)) });
    expect(compileInput(schema, tool).parse({ a: "x" })).toMatchObject({
      ok: false,
      issues: [{ message: expect.stringContaining("asynchronous") }],
    });
  });
});

describe("outputs", () => {
  test("may hold records, URLs and transforms, and lose what the schema does not name", () => {
    const { json, parse } = compileOutput(
      z.object({ url: z.url(), counts: z.record(z.string(), z.int()), size: z.string().transform(Number).pipe(z.number()) }),
      tool,
    );
    expect(json).toMatchObject({ type: "object", required: ["url", "counts", "size"], properties: { size: { type: "number" } } });
    expect(parse({ url: "https://a.example", counts: { a: 1 }, size: "4", internal: 1 })).toEqual({
      ok: true,
      value: { url: "https://a.example", counts: { a: 1 }, size: 4 },
    });
  });
});

describe("Standard Schema", () => {
  const { validate, jsonSchema, version } = search.standard["~standard"];
  test("validates exactly, with paths", () => {
    expect(version).toBe(1);
    expect(validate({ path: "a" })).toEqual({ value: { path: "a", mode: "text" } });
    expect(validate({ path: 1 })).toMatchObject({ issues: [{ path: ["path"] }] });
  });
  test("gives each consumer a copy that it may write into, as AI SDK 7 does", () => {
    const first = jsonSchema.input({ target: "draft-07" });
    first.additionalProperties = true;
    expect(jsonSchema.output({ target: "draft-2020-12" })).toEqual(search.json);
  });
  test("refuses a target that it cannot write", () => {
    expect(() => jsonSchema.input({ target: "openapi-3.0" })).toThrow("draft-07");
  });
});
