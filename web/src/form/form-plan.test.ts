import { describe, expect, test } from "vitest";
import { firstInput } from "./first-input.ts";
import { layOut } from "./form-layout.ts";
import { planForm } from "./form-plan.ts";
import type { JsonSchema } from "./json-schema.ts";

const object = (properties: Readonly<Record<string, JsonSchema>>, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  properties,
  ...more,
});
const uiOf = (member: JsonSchema) => planForm(object({ m: member })).ui.m;

describe("how a member is shown", () => {
  test.each<{ name: string; schema: JsonSchema; ui: object }>([
    { name: "text of one line", schema: { type: "string", maxLength: 40 }, ui: { "ui:widget": "line" } },
    { name: "text of any length", schema: { type: "string" }, ui: { "ui:widget": "growing" } },
    { name: "a secret", schema: { type: "string", writeOnly: true }, ui: { "ui:widget": "hidden-text" } },
    { name: "a file", schema: { type: "string", contentEncoding: "base64" }, ui: { "ui:widget": "document" } },
    { name: "a date", schema: { type: "string", format: "date" }, ui: { "ui:widget": "day" } },
    { name: "a time", schema: { type: "string", format: "date-time" }, ui: { "ui:widget": "moment" } },
    { name: "a number", schema: { type: "number" }, ui: { "ui:widget": "figure" } },
    { name: "yes or no", schema: { type: "boolean" }, ui: { "ui:widget": "yes-no" } },
    { name: "a choice", schema: { type: "string", enum: ["a", "b"] }, ui: { "ui:widget": "choice" } },
    { name: "several choices", schema: { type: "array", items: { type: "string", enum: ["a"] } }, ui: { "ui:widget": "choices" } },
    { name: "a list", schema: { type: "array", items: { type: "integer" } }, ui: { items: { "ui:widget": "figure" } } },
    { name: "a constant", schema: { const: "v1" }, ui: { "ui:widget": "constant" } },
    { name: "anything", schema: {}, ui: { "ui:field": "json" } },
    { name: "names of one's own", schema: { type: "object", additionalProperties: { type: "string" } }, ui: { "ui:field": "json" } },
    { name: "a tuple", schema: { type: "array", prefixItems: [{ type: "string" }] }, ui: { "ui:field": "json" } },
    { name: "a condition", schema: { allOf: [{ type: "string" }, { maxLength: 3 }] }, ui: { "ui:field": "json" } },
    { name: "choices that are objects", schema: { enum: [{ a: 1 }] }, ui: { "ui:field": "json" } },
    {
      name: "what may be null",
      schema: { anyOf: [{ type: "string" }, { type: "null" }] },
      ui: { "ui:field": "nullable", inner: { ui: { "ui:widget": "growing" } } },
    },
    {
      name: "what may be null, by its types",
      schema: { type: ["integer", "null"] },
      ui: { "ui:field": "nullable", inner: { ui: { "ui:widget": "figure" } } },
    },
  ])("$name", ({ schema, ui }) => {
    expect(uiOf(schema)).toMatchObject(ui);
  });
});

test("references are followed, and one that comes again is JSON", () => {
  const schema = object(
    { tree: { $ref: "#/$defs/node" } },
    { $defs: { node: object({ name: { type: "string" }, left: { $ref: "#/$defs/node" } }) } },
  );
  expect(planForm(schema).ui.tree).toMatchObject({ name: { "ui:widget": "growing" }, left: { "ui:field": "json" } });
  expect(planForm(object({ m: { $ref: "https://evil.example/schema" } })).ui.m).toMatchObject({ "ui:field": "json" });
  expect(planForm(object({ m: { $ref: "#/constructor" } })).ui.m).toMatchObject({ "ui:field": "json" });
});

test("branches are named by their title, their mark or their type, and the mark is not shown twice", () => {
  const { schema, ui } = planForm(
    object({
      m: {
        oneOf: [
          object({ kind: { const: "card" }, digits: { type: "string" } }),
          { title: "Cash", ...object({ change: { type: "boolean" } }) },
          { type: "string" },
        ],
      },
    }),
  );
  expect(schema.properties?.m?.oneOf).toMatchObject([{ title: "card" }, { title: "Cash" }, { title: "string 3" }]);
  expect(ui.m).toMatchObject({ oneOf: [{ kind: { "ui:widget": "hidden" } }, {}, {}] });
});

test("names become words, and titles stay", () => {
  const { schema } = planForm(
    object({ maxResults: { type: "integer" }, api_key: { type: "string" }, x: { type: "string", title: "The X" } }),
  );
  expect(Object.values(schema.properties ?? {}).map(({ title }) => title)).toEqual(["Max results", "Api key", "The X"]);
});

describe("a form spec", () => {
  const text = { type: "string" } as const;
  const schema = object({ a: text, b: text, c: { anyOf: [text, { type: "null" }] }, d: { ...text, default: "x" } }, { required: ["b"] });

  test("says labels, help, widgets, order and what is rarely filled", () => {
    const {
      schema: planned,
      ui,
      more,
    } = planForm(schema, {
      spec: {
        version: 1,
        fields: { a: { label: "First", help: "The first.", widget: "textarea" }, c: { help: "Or null.", placeholder: "c" } },
        groups: [{ title: "Main", fields: ["b"] }],
        more: ["a"],
      },
    });
    expect(planned.properties?.a).toMatchObject({ title: "First", description: "The first." });
    expect(ui).toMatchObject({
      a: { "ui:widget": "long" },
      c: { "ui:field": "nullable", inner: { schema: { description: "Or null." }, ui: { "ui:placeholder": "c" } } },
      "ui:order": ["b", "*"],
    });
    expect(more).toEqual(["a"]);
  });

  test("keeps internal members out of every form, and configuration out of one inside another page", () => {
    const spec = { version: 1, internal: ["a"], embed: { hide: ["d"] } } as const;
    const membersIn = (isEmbedded: boolean) => Object.keys(planForm(schema, { spec, isEmbedded }).schema.properties ?? {});
    expect(membersIn(false)).toEqual(["b", "c", "d"]);
    expect(membersIn(true)).toEqual(["b", "c"]);
    expect(firstInput(planForm(schema, { spec }))).toEqual({ d: "x" });
    expect(firstInput(planForm(schema, { spec, isEmbedded: true }))).toEqual({});
  });
});

test("a group stands where its first field would, without what is rarely filled", () => {
  const groups = [
    { title: "G", fields: ["d", "b", "e"] },
    { title: "Gone", fields: ["x"] },
  ];
  expect(layOut(["a", "d", "b", "c", "e"], { groups, more: ["e", "c"] })).toEqual({
    parts: [{ field: "a" }, { group: { title: "G", fields: ["d", "b"] } }],
    more: ["c", "e"],
  });
});

test("500 members and any depth are planned", () => {
  let deep: JsonSchema = { type: "string" };
  for (let level = 0; level < 12; level++) deep = object({ next: deep });
  expect(JSON.stringify(planForm(deep).ui)).toContain("too deep");
  const wide = object(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, { type: "string" } as const])));
  expect(Object.keys(planForm(wide).ui)).toHaveLength(500);
});
