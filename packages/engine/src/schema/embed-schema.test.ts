import { expect, it } from "vitest";
import type { JsonObject } from "../contract/json.ts";
import { embedSchema } from "./embed-schema.ts";

const at = { name: "walk.input", place: "#/components/schemas/" };

it("puts definitions beside the schema, and leads references there", () => {
  const tree = { type: "object", properties: { left: { $ref: "#/$defs/tree" }, all: { $ref: "#" }, some: { $ref: "#/$defs/a~1b/items" } } };
  const schema = { ...tree, if: { $ref: "#/$defs/tree" }, $defs: { tree, "a/b": { type: "array", items: {} } } };
  const embedded = {
    type: "object",
    properties: {
      left: { $ref: "#/components/schemas/walk.input.tree" },
      all: { $ref: "#/components/schemas/walk.input" },
      some: { $ref: "#/components/schemas/walk.input.part1/items" },
    },
  };
  expect(embedSchema(schema, at)).toEqual({
    schema: { ...embedded, if: { $ref: "#/components/schemas/walk.input.tree" } },
    definitions: { "walk.input.tree": embedded, "walk.input.part1": { type: "array", items: {} } },
  });
});

it("leaves values and names alone that only look like references", () => {
  const schema = { type: "object", properties: { $ref: { type: "string", default: "#/$defs/x", examples: [{ $ref: "#" }] } } };
  expect(embedSchema(schema, at)).toEqual({ schema, definitions: {} });
});

it("says of a tuple that it has items, which linters ask for, and keeps its length", () => {
  const [one, two] = [{ type: "string" }, { type: "integer" }];
  const pair = { type: "array", prefixItems: [one, two], minItems: 2 };
  const embed = (schema: JsonObject) => embedSchema(schema, at).schema;
  expect(embed({ ...pair, items: false, maxItems: 2 })).toEqual({ ...pair, items: {}, maxItems: 2 });
  expect(embed({ ...pair, items: false })).toEqual({ ...pair, items: {}, maxItems: 2 });
  expect(embed(pair)).toEqual({ ...pair, items: {} });
  expect(embed({ ...pair, items: { type: "null" } })).toEqual({ ...pair, items: { type: "null" } });
});
