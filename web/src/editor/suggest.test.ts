import { expect, test } from "vitest";
import { type Schema, suggest } from "./suggest.ts";

const schema: Schema = {
  type: "object",
  properties: {
    autonomy: { $ref: "#/definitions/autonomy" },
    tools: { type: "object", properties: { deny: { allOf: [{ $ref: "#/definitions/names" }] }, ask: { $ref: "#/definitions/names" } } },
    commands: { $ref: "#/definitions/commands" },
    rates: { type: "object", additionalProperties: { type: "string" } },
    agents: {
      type: "array",
      items: { type: "object", properties: { id: { type: "string" }, commands: { $ref: "#/definitions/commands" } } },
    },
  },
  definitions: {
    autonomy: { type: "string", enum: ["read_only", "full"] },
    names: { type: "array", items: { type: "string", pattern: "^name$" } },
    commands: {
      type: "object",
      properties: {
        strict: { type: "boolean", default: true, description: "How strict" },
        rules: {
          type: "array",
          items: { type: "object", properties: { pattern: { type: "string" }, effect: { enum: ["allow", "ask"] } } },
        },
      },
    },
  },
};

/** The cursor is where the bar stands. */
const at = (text: string) => {
  const found = suggest(text.replace("|", ""), text.indexOf("|"), {
    schema,
    namesFor: (pattern) => (pattern === "^name$" ? ["exec"] : []),
  });
  return found?.options.map(({ label }) => label);
};

test.each<readonly [string, string, readonly string[] | undefined]>([
  ["members of the document", "|", ["autonomy", "tools", "commands", "rates", "agents"]],
  ["members while one is typed", "autonomy: full\nto|", ["autonomy", "tools", "commands", "rates", "agents"]],
  ["members of a member", "tools:\n  |", ["deny", "ask"]],
  ["words of a value", "autonomy: |", ["read_only", "full"]],
  ["yes and no", "commands:\n  strict: t|", ["true", "false"]],
  ["names in a list below", "tools:\n  deny:\n    - |", ["exec"]],
  ["names in a list that is not moved in", "tools:\n  deny:\n  - e|", ["exec"]],
  ["names in a list in brackets", "tools:\n  deny: [mail, e|", ["exec"]],
  ["members of an entry", "commands:\n  rules:\n    - |", ["pattern", "effect"]],
  ["the second member of an entry", "commands:\n  rules:\n    - pattern: git *\n      |", ["pattern", "effect"]],
  ["values within an entry", "commands:\n  rules:\n    - pattern: git *\n      effect: a|", ["allow", "ask"]],
  ["members after a list", "tools:\n  deny:\n    - exec\n  |", ["deny", "ask"]],
  ["members of an agent", "agents:\n  - id: a\n    commands:\n      |", ["strict", "rules"]],
  ["nothing in a comment", "# to|", undefined],
  ["nothing where any text can stand", "rates:\n  exec: 1|", undefined],
  ["nothing after a colon without a blank", "autonomy:|", undefined],
  ["nothing below a member that is not known", "tols:\n  |", undefined],
])("%s", (_, text, expected) => {
  expect(at(text)).toEqual(expected);
});

test("a member is written with what follows it", () => {
  const { options = [], from } = suggest("commands:\n  ru", 14, { schema, namesFor: () => [] }) ?? {};
  expect(from).toBe(12);
  expect(options).toEqual([
    { label: "strict", detail: "boolean", info: "How strict", apply: "strict: " },
    { label: "rules", detail: "array", info: undefined, apply: "rules:\n    - " },
  ]);
});
