import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../tool/define-tool.ts";
import { Catalogue } from "./catalogue.ts";
import { checkedBefore } from "./compile-parts.ts";

const origin = { kind: "builtin", source: "test" } as const;
const neutral = { tenant: "default", agent: undefined, attributes: {} };
const createCatalogue = () => new Catalogue({ environment: new Set(), capabilities: new Set(["tools"]), warn: () => {} });
const wrong = (name: string) =>
  defineTool({
    name,
    description: "Do something.",
    input: z.object({ count: z.int() }),
    output: z.object({}),
    examples: [{ label: "Wrong", input: { count: "many" } }],
    run: () => ({}),
  });
const whole = (name: string, effects: object = {}) =>
  defineTool({ name, description: "Do something.", input: z.object({}), output: z.object({}), effects, run: () => ({}) });

test("a definition that no test has compiled is compiled when it is registered, one that was checked before when it is asked for", () => {
  const catalogue = createCatalogue();
  expect(() => catalogue.register([wrong("unchecked")], origin)).toThrow(/example "Wrong"/);
  catalogue.register(checkedBefore([wrong("checked")]), origin);
  const tool = catalogue.snapshot.find("checked");
  expect(tool).toMatchObject({ name: "checked", title: "Checked", facts: { approval: "auto" } });
  expect(() => tool?.input(neutral)).toThrow(/example "Wrong"/);
  expect(() => catalogue.snapshot.revision).toThrow(/example "Wrong"/);
});

test("neither other tools, nor tools that call others, nor whoever listens ask for the schemas of a tool", () => {
  const catalogue = createCatalogue();
  catalogue.register(checkedBefore([wrong("checked"), whole("caller", { tools: ["checked"], idempotent: true })]), origin);
  let changes = 0;
  catalogue.onChange(() => {
    changes += 1;
  });
  catalogue.replace([], () => false);
  expect(changes).toBe(0);
  catalogue.register([whole("another")], origin);
  expect(changes).toBe(1);
  expect(catalogue.snapshot.find("caller")?.hints.readOnlyHint).toBe(true);
});

test("a definition that was checked before is the same tool as one that was not", () => {
  const [early, late] = [createCatalogue(), createCatalogue()];
  early.register([whole("same"), whole("caller", { tools: ["*"] })], origin);
  late.register(checkedBefore([whole("same"), whole("caller", { tools: ["*"] })]), origin);
  expect(late.snapshot.revision).toBe(early.snapshot.revision);
  for (const tool of early.snapshot.tools)
    expect({ ...late.snapshot.find(tool.name), input: undefined }).toMatchObject({
      ...{ name: tool.name, hash: tool.hash, body: tool.body, hints: tool.hints, presentation: tool.presentation },
    });
});
