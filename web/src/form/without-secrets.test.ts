import { describe, expect, test } from "vitest";
import type { Json } from "./json-schema.ts";
import { withoutSecrets } from "./without-secrets.ts";

const secret = { type: "string", writeOnly: true };
const deep = (levels: number): object => (levels === 0 ? secret : { type: "object", properties: { in: deep(levels - 1) } });
const nest = (levels: number): Json => (levels === 0 ? "s" : { in: nest(levels - 1) });

describe("an input without its secrets", () => {
  test.each([
    { name: "a member", schema: secret, value: "s", left: {} },
    { name: "a password", schema: { type: "string", format: "password" }, value: "s", left: {} },
    { name: "a sensitive text", schema: { type: "string", sensitive: true }, value: "s", left: {} },
    { name: "one that may be null", schema: { anyOf: [secret, { type: "null" }] }, value: "s", left: {} },
    { name: "in a list", schema: { type: "array", items: secret }, value: ["s"], left: { it: [] } },
    { name: "in a tuple", schema: { prefixItems: [{}, secret] }, value: ["a", "s"], left: { it: ["a"] } },
    {
      name: "in the objects of a list",
      schema: { type: "array", items: { properties: { key: secret } } },
      value: [{ user: "u", key: "s" }],
      left: { it: [{ user: "u" }] },
    },
    {
      name: "in a branch",
      schema: { oneOf: [{ properties: { kind: { const: "token" }, token: secret } }, { properties: { kind: { const: "none" } } }] },
      value: { kind: "token", token: "s" },
      left: { it: { kind: "token" } },
    },
    { name: "under a name of one's own", schema: { additionalProperties: secret }, value: { mine: "s" }, left: { it: {} } },
    { name: "under a pattern", schema: { patternProperties: { "^x": secret } }, value: { x1: "s" }, left: { it: {} } },
    { name: "by reference", schema: { $ref: "#/$defs/key" }, value: "s", left: {} },
    {
      name: "in a shape that refers to itself",
      schema: { $ref: "#/$defs/node" },
      value: { key: "s", next: { key: "s", next: { at: 1 } } },
      left: { it: { next: { next: { at: 1 } } } },
    },
    {
      name: "where it depends",
      schema: JSON.parse('{"if": {}, "then": {"properties": {"key": {"writeOnly": true}}}}'),
      value: { key: "s", at: 1 },
      left: { it: { at: 1 } },
    },
    { name: "deeper than forms go", schema: deep(3), value: nest(3), left: { it: { in: { in: {} } } } },
  ])("$name", ({ schema, value, left }) => {
    const inputSchema = {
      type: "object",
      properties: { it: schema },
      $defs: { key: secret, node: { properties: { key: secret, next: { $ref: "#/$defs/node" } } } },
    };
    expect(withoutSecrets({ it: value as Json, other: 1 }, { inputSchema, presentation: {} })).toEqual({ ...left, other: 1 });
  });

  test("what the form hides is one", () => {
    const described = {
      inputSchema: { properties: { pin: { type: "string" } } },
      presentation: { form: { version: 1, fields: { pin: { widget: "password" } } } },
    };
    expect(withoutSecrets({ pin: "1", at: 2 }, described)).toEqual({ at: 2 });
  });

  test.each([["a text"], [[1, { a: null }]], [null], [false]])("%j stays as it is", (input) => {
    expect(withoutSecrets(input as Json, { inputSchema: {}, presentation: {} })).toEqual(input);
  });
});
