import { describe, expect, test } from "vitest";
import type { Json } from "../contract/json.ts";
import { upgradeSchema } from "./upgrade-schema.ts";

const ofMember = (member: Json) => (upgradeSchema({ type: "object", properties: { m: member } }).properties as Record<string, Json>).m;

describe("a schema of an older draft is read as one of 2020-12", () => {
  test.each<[name: string, member: Json, read: Json]>([
    ["draft 04: an exclusive bound", { type: "integer", minimum: 0, exclusiveMinimum: true }, { type: "integer", exclusiveMinimum: 0 }],
    ["draft 04: an inclusive bound", { type: "number", maximum: 9, exclusiveMaximum: false }, { type: "number", maximum: 9 }],
    ["a number as the bound", { type: "number", exclusiveMaximum: 9 }, { type: "number", exclusiveMaximum: 9 }],
    [
      "draft 07: a tuple",
      { type: "array", items: [{ type: "string" }], additionalItems: false },
      { type: "array", prefixItems: [{ type: "string" }], items: false },
    ],
    [
      "draft 07: dependencies",
      { type: "object", properties: { a: {}, b: {} }, dependencies: { a: ["b"], b: { required: ["a"] } } },
      { type: "object", properties: { a: {}, b: {} }, dependentRequired: { a: ["b"] }, dependentSchemas: { b: { required: ["a"] } } },
    ],
    [
      "draft 03: required in a member",
      { properties: { a: { type: "string", required: true } } },
      { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    ],
    ["OpenAPI: nullable", { type: "string", enum: ["a"], nullable: true }, { type: ["string", "null"], enum: ["a", null] }],
    ["true", true, {}],
    ["false", false, { not: {} }],
    ["no type beside an enum", { enum: ["a", 1] }, { type: ["string", "number"], enum: ["a", 1] }],
    ["no type beside a constant", { const: "a" }, { type: "string", const: "a" }],
    ["a list without items", { type: "array" }, { type: "array", items: {} }],
    ["names of places and vendors' keywords", { type: "string", $id: "x y", $comment: "c", "x-order": 1 }, { type: "string" }],
  ])("%s", (_, member, read) => {
    expect(ofMember(member)).toEqual(read);
  });

  test("an empty schema is an object without members", () => {
    expect(upgradeSchema({})).toEqual({});
    expect(upgradeSchema({ type: "object" })).toEqual({ type: "object", properties: {} });
  });
});

describe("references", () => {
  test("are written in place, and the nearer annotation counts", () => {
    const definitions = { Id: { type: "string", description: "An id." } };
    const properties = { a: { $ref: "#/definitions/Id" }, b: { $ref: "#/definitions/Id", description: "Another." } };
    expect(upgradeSchema({ type: "object", definitions, properties })).toEqual({
      type: "object",
      properties: { a: { type: "string", description: "An id." }, b: { type: "string", description: "Another." } },
    });
  });

  test("of a schema to itself point into $defs, wherever they pointed", () => {
    const node = {
      type: "object",
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/properties/root" } } },
    };
    expect(upgradeSchema({ type: "object", properties: { root: node } })).toEqual({
      type: "object",
      properties: {
        root: { ...node, properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/root" } } } },
      },
      $defs: { root: { ...node, properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/root" } } } } },
    });
  });

  test("to the whole make it a definition", () => {
    const upgraded = upgradeSchema({ type: "object", properties: { next: { $ref: "#" } } });
    expect(upgraded).toEqual({
      type: "object",
      properties: { next: { $ref: "#/$defs/root" } },
      $defs: { root: { type: "object", properties: { next: { $ref: "#/$defs/root" } } } },
    });
  });

  test("that double at each step are refused before they fill the memory", () => {
    const definitions = Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `d${index}`,
        { properties: { a: { $ref: `#/definitions/d${index + 1}` }, b: { $ref: `#/definitions/d${index + 1}` } } },
      ]),
    );
    const schema = {
      type: "object",
      definitions: { ...definitions, d40: { type: "string" } },
      properties: { m: { $ref: "#/definitions/d0" } },
    };
    expect(() => upgradeSchema(schema)).toThrow(/stands for more than 20000 schemas/);
  });
});

test.each<[name: string, schema: unknown, message: RegExp]>([
  [
    "a schema that is fetched",
    { properties: { m: { $ref: "https://example.com/s.json" } } },
    /\/properties\/m refers to "https:\/\/example\.com\/s\.json", which is not in it\. Write the schema in place/,
  ],
  ["a reference to nothing", { properties: { m: { $ref: "#/$defs/Gone" } } }, /refers to "#\/\$defs\/Gone", which is not in it/],
  [
    "an unknown type",
    { properties: { m: { type: "float" } } },
    /\/properties\/m has the type "float", which JSON Schema does not know\. Use one of string/,
  ],
  [
    "a word where a schema belongs",
    { type: "object", properties: { type: "object" } },
    /\/properties\/type is "object", which is no schema/,
  ],
  ["an empty union", { properties: { m: { anyOf: [] } } }, /\/properties\/m\/anyOf is not a list of schemas/],
  ["no JSON", { properties: { m: { default: 1n } } }, /is not JSON/],
  ["no object", [], /is not an object/],
])("%s is refused with its place and what to do", (_, schema, message) => {
  expect(() => upgradeSchema(schema)).toThrow(expect.objectContaining({ code: "schema_refused", message: expect.stringMatching(message) }));
});
