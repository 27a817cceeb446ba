import { describe, expect, test } from "vitest";
import type { JsonObject } from "../contract/json.ts";
import { fitsSchema } from "./fits-schema.ts";

type Row = [keyword: string, schema: JsonObject, fits: readonly unknown[], not: readonly unknown[]];

const tree: JsonObject = {
  $ref: "#/$defs/t",
  $defs: { t: { type: "object", properties: { c: { type: "array", items: { $ref: "#/$defs/t" } } }, additionalProperties: false } },
};

describe("JSON Schema 2020-12, keyword by keyword", () => {
  test.each<Row>([
    ["type", { type: ["integer", "null"] }, [1, 1.0, null], [1.5, "1", true]],
    ["type object", { type: "object" }, [{}], [[], null, "x"]],
    ["enum", { enum: ["a", { b: [1] }] }, ["a", { b: [1] }], ["b", { b: [2] }]],
    ["const", { const: null }, [null], [0, undefined]],
    ["minLength counts characters", { minLength: 2, maxLength: 2 }, ["ab", "😀😀", 5], ["a", "😀"]],
    ["pattern", { pattern: "^a+$" }, ["aa", 1], ["b"]],
    ["bounds", { minimum: 1, exclusiveMaximum: 3 }, [1, 2.9, "0"], [0.9, 3]],
    ["multipleOf", { multipleOf: 0.1 }, [0.3, 1], [0.25]],
    ["items", { items: { type: "string" } }, [[], ["a"], "x"], [[1]]],
    ["prefixItems", { prefixItems: [{ type: "string" }], items: false }, [[], ["a"]], [["a", 1], [1]]],
    ["contains", { contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[2], [1, 1]]],
    [
      "uniqueItems",
      { uniqueItems: true },
      [[1, "1", { a: 1 }]],
      [
        [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      ],
    ],
    ["lengths of lists", { minItems: 1, maxItems: 2 }, [[1]], [[], [1, 2, 3]]],
    ["required", { required: ["a"] }, [{ a: null }, 1], [{}]],
    ["properties", { properties: { a: { type: "string" } } }, [{}, { a: "x", b: 1 }], [{ a: 1 }]],
    [
      "additionalProperties",
      { properties: { a: {} }, patternProperties: { "^x": {} }, additionalProperties: false },
      [{ a: 1, xy: 1 }],
      [{ b: 1 }],
    ],
    ["patternProperties", { patternProperties: { "^n": { type: "number" } } }, [{ n1: 1, o: "x" }], [{ n1: "x" }]],
    ["propertyNames", { propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
    ["number of members", { minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 1 }]],
    ["dependentRequired", { dependentRequired: { a: ["b"] } }, [{ a: 1, b: 1 }, { b: 1 }], [{ a: 1 }]],
    ["dependentSchemas", { dependentSchemas: { a: { required: ["b"] } } }, [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
    ["anyOf", { anyOf: [{ type: "string" }, { type: "number" }] }, ["x", 1], [true]],
    ["oneOf", { oneOf: [{ type: "integer" }, { minimum: 0 }] }, [-1, 0.5], [1]],
    ["allOf", { allOf: [{ type: "integer" }, { minimum: 0 }] }, [1], [-1, 0.5]],
    ["not", { not: { type: "null" } }, [0], [null]],
    [
      "if, then, else",
      JSON.parse('{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}'),
      [{ a: 1, b: 1 }, { c: 1 }],
      [{ a: 1 }, {}],
    ],
    ["a schema that contains itself", tree, [{}, { c: [{ c: [] }] }], [{ c: [{ d: 1 }] }, { c: [1] }]],
    ["a reference that goes nowhere", { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } }, [1], []],
    ["names that every object has", { required: ["toString"] }, [{ toString: 1 }], [{}]],
  ])("%s", (_, schema, fits, not) => {
    for (const value of fits) expect(fitsSchema(schema, value), JSON.stringify(value)).toBe(true);
    for (const value of not) expect(fitsSchema(schema, value), JSON.stringify(value)).toBe(false);
  });
});
