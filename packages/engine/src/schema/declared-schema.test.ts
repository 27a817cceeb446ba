import { describe, expect, test } from "vitest";
import { z } from "zod";
import { compileInput } from "./compile-schema.ts";
import { compileForTarget, schemaTargets } from "./targets/compile-for-target.ts";

const $schema = "https://json-schema.org/draft/2020-12/schema";
const address = z.object({ street: z.string(), city: z.string() }).meta({ id: "address", $anchor: "addressDef" });
const allOf = [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }];
// biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
const condition = { if: { required: ["email"] }, then: { required: ["home"] } };
const contact = z.object({
  home: address.optional(),
  work: address.optional(),
  phone: z.string().optional(),
  email: z.string().optional(),
});
const options = { tool: "t", exceptions: ["no_intersection"] };

describe("a schema that names its dialect", () => {
  const compiled = compileInput(contact.meta({ $schema, allOf, ...condition }), options);
  const { home: placed } = compiled.json.properties as { readonly home: object };
  const tool = { name: "t", inputSchema: compiled.json, unionSchema: compiled.union, declaredSchema: compiled.declared };

  test.each(["mcp-2025-11-25", "mcp-2026-07-28"] as const)("reaches %s with its definitions, anchors and conditions", (target) => {
    const { inputSchema, losses } = compileForTarget(tool, target);
    expect(inputSchema).toEqual({
      $schema,
      type: "object",
      properties: {
        home: { $ref: "#/$defs/address" },
        work: { $ref: "#/$defs/address" },
        phone: { type: "string" },
        email: { type: "string" },
      },
      additionalProperties: false,
      allOf,
      ...condition,
      $defs: { address: { ...placed, $anchor: "addressDef" } },
    });
    expect(losses).toEqual([]);
  });

  test.each(schemaTargets.filter((target) => !target.startsWith("mcp")))("stands alone for %s, without references", (target) => {
    expect(JSON.stringify(compileForTarget(tool, target).inputSchema)).not.toMatch(/\$(schema|ref|defs|anchor)/);
  });

  test("is also held on each call", () => {
    const home = { street: "Main Street 1", city: "Springfield" };
    expect(compiled.parse({ email: "a@example.org", home })).toMatchObject({ ok: true });
    expect(compiled.parse({ email: "a@example.org" })).toEqual({
      ok: false,
      issues: [{ path: "", message: expect.stringContaining('{"if":{"required":["email"]},"then":{"required":["home"]}}') }],
    });
    expect(compiled.parse({ home })).toEqual({ ok: false, issues: [{ path: "", message: expect.stringContaining('"allOf"') }] });
  });
});

test("a schema that names no dialect has its definitions in place", () => {
  const { json, declared } = compileInput(z.object({ home: address }), { tool: "t" });
  expect(declared).toBeUndefined();
  expect(JSON.stringify(json)).not.toMatch(/\$(schema|ref|defs|anchor)/);
});

test("keywords of a schema that names no dialect are held as well", () => {
  const { parse } = compileInput(z.object({ a: z.string().optional() }).meta({ minProperties: 1 }), { tool: "t" });
  expect(parse({ a: "x" })).toMatchObject({ ok: true });
  expect(parse({})).toEqual({ ok: false, issues: [{ path: "", message: expect.stringContaining('{"minProperties":1}') }] });
});

test("a schema that contains itself is a definition of its own", () => {
  const node = z.object({
    name: z.string(),
    get children() {
      return z.array(node).optional();
    },
  });
  const { declared } = compileInput(z.object({ tree: node }).meta({ $schema }), { tool: "t", exceptions: ["no_recursion"] });
  expect(declared).toMatchObject({ $schema, $defs: expect.any(Object) });
});

test("another dialect is refused", () => {
  const draft = "http://json-schema.org/draft-07/schema#";
  expect(() => compileInput(z.object({}).meta({ $schema: draft }), { tool: "t" })).toThrow(
    `names the dialect "${draft}" (representable). Write $schema: "${$schema}".`,
  );
});
