import type { JsonObject } from "@toolwright/engine";
import { describe, expect, test } from "vitest";
import type { TenantTool } from "../ports/tenant-tools.ts";
import { compileTenantTool } from "./compile-tenant-tool.ts";

const text = { type: "string" };
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: "object", properties, ...more });
const closed = object({ x: text }, { additionalProperties: false, required: ["x"] });

function save(inputSchema: JsonObject): void {
  const row = { tool: "t", title: "T", group: "g", description: "Answers.", effect: "read", inputSchema, outputSchema: object({}) };
  compileTenantTool("acme", row as unknown as TenantTool);
}

type Form = [name: string, schema: JsonObject, defs?: JsonObject];

describe("an input of a tenant's tool that stays an intersection is refused when it is saved, with its place", () => {
  const forms: readonly Form[] = [
    [
      "two formats",
      {
        allOf: [
          { ...text, format: "email" },
          { ...text, format: "uuid" },
        ],
      },
    ],
    [
      "two steps",
      {
        allOf: [
          { type: "integer", multipleOf: 2 },
          { type: "integer", multipleOf: 3 },
        ],
      },
    ],
    ["two lists of schemas", { allOf: [{ anyOf: [text, { type: "number" }] }, { anyOf: [text, { type: "boolean" }] }] }],
    ["anyOf beside oneOf", { anyOf: [text, { type: "number" }], oneOf: [text, { type: "boolean" }] }],
    ["patterns of names beside members", { type: "object", allOf: [{ patternProperties: { "^a": text } }, { properties: { b: text } }] }],
    ["a closed object beside one that needs another member", { allOf: [closed, object({ y: text }, { required: ["y"] })] }],
    ["a closed object behind a reference", { allOf: [{ $ref: "#/$defs/closed" }, object({ y: text })] }, { closed }],
  ];
  test.each<Form>(forms)("%s", (_name, schema, $defs) => {
    const whole = (member: JsonObject) => ({ ...object({ a: member }), ...($defs && { $defs }) });
    expect(() => save(whole(schema))).toThrow(/: \/a is an intersection.* \(no_intersection\)\. Write one schema /);
    expect(() => save(whole(object({ b: { type: "array", items: schema } })))).toThrow(/\/a\/b\/\[\] is an intersection/);
  });

  test.each<[name: string, schema: JsonObject]>([
    ["bounds", { allOf: [{ ...text, minLength: 2 }, { maxLength: 3 }] }],
    ["several patterns", { ...text, allOf: [{ pattern: "^a" }, { pattern: "b$" }] }],
    ["a closed object beside members that it has", { allOf: [closed, object({ x: { ...text, maxLength: 3 } })] }],
    ["rules beside a list of schemas", { allOf: [{ ...text, pattern: "^a" }, { anyOf: [{ maxLength: 2 }, { minLength: 5 }] }] }],
  ])("one that becomes one schema is taken: %s", (_name, schema) => {
    expect(() => save(object({ a: schema }))).not.toThrow();
  });
});
