import { expect, it } from "vitest";
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
