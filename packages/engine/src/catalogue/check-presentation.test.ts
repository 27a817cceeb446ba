import { expect, test } from "vitest";
import { z } from "zod";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { createMemorySecretStore } from "../memory/secret-store.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { FormSpec, ToolPresentation, ViewSpec } from "../tool/presentation.ts";

const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: ["money"], door: "cli" };
const input = z.object({ order: z.string(), reason: z.string(), trace: z.string().optional(), model: z.string().default("small") });
const output = z.object({
  total: z.number(),
  note: z.string().optional(),
  lines: z.array(z.object({ item: z.string(), euros: z.number() })),
  extra: z.record(z.string(), z.unknown()),
  report: z.object({ id: z.string() }),
});
const refund = (presentation?: unknown) =>
  defineTool({
    name: "refund",
    description: "Refund an order.",
    input,
    output,
    effects: { secrets: ["BANK_KEY"], destructive: true },
    approval: "always_ask",
    permission: "money",
    limits: { timeoutMs: 5_000 },
    aliases: { id: "order" },
    ...(presentation !== undefined && { presentation: presentation as ToolPresentation }),
    run: () => ({ total: 1, lines: [], extra: {}, report: { id: "a" } }),
  });
const plain = defineTool({
  name: "plain",
  description: "Do nothing.",
  icon: "dot",
  input: z.object({}),
  output: z.object({}),
  run: () => ({}),
});
const secrets = createMemorySecretStore();
await secrets.set({ tenant: "acme", name: "BANK_KEY" }, "very-secret-value");
const viewOf = (name: string, presentation?: unknown) =>
  createEngine({ tools: [refund(presentation), plain], secrets })
    .scope(principal, { session: "s1" })
    .find(name);

const form: FormSpec = {
  version: 1,
  order: ["reason", "order"],
  groups: [{ title: "Order", help: "What is paid back.", fields: ["order", "reason"] }],
  more: ["model"],
  fields: { reason: { label: "Why", help: "One sentence.", widget: "textarea" } },
  internal: ["trace"],
  embed: { hide: ["model"] },
};
const view: ViewSpec = {
  version: 1,
  blocks: [
    { block: "summary", data: "", items: [{ name: "total", label: "Paid back", unit: "€" }] },
    { block: "chart", title: "Lines", data: "/lines", x: "item", series: [{ name: "euros" }] },
    { block: "ranking", data: "/lines", label: "item", score: { name: "euros" } },
    { block: "markdown", data: "/note" },
    { block: "file", data: "/report" },
    { block: "table", data: "/extra/anything" },
    { block: "custom", data: "/extra", renderer: "map", config: { zoom: 3 } },
  ],
};
const presentation: ToolPresentation = { icon: "coins", category: "Money", form, view };

test("a view carries what a form and a person need to know of the definition", () => {
  expect(viewOf("refund", presentation)).toMatchObject({
    ...{ approval: "always_ask", permission: "money", limits: { timeoutMs: 5_000 }, secrets: ["BANK_KEY"], aliases: { id: "order" } },
    icon: "coins",
    presentation,
  });
});

test("a view of a definition that says nothing has empty members, and the definition's icon", () => {
  expect(viewOf("plain")).toMatchObject({
    ...{ approval: "auto", permission: undefined, limits: {}, secrets: [], aliases: {} },
    icon: "dot",
    presentation: { icon: "dot" },
  });
});

const line = { name: "item" };
const formWith = (more: object) => ({ form: { version: 1, ...more } });
const viewWith = (...blocks: object[]) => ({ view: { version: 1, blocks } });

test.each([
  ["a key that there is not", { colour: "red" }, "/colour: there is no such field."],
  ["a form of another version", { form: { version: 2 } }, "/form/version: the version must be 1."],
  ["a form without its version", { form: { order: ["order"] } }, "/form/version: the version must be 1."],
  ["an unknown field of a form", formWith({ sections: [] }), "/form/sections: there is no such field."],
  ["an unknown field of a field", formWith({ fields: { order: { size: 3 } } }), "/form/fields/order/size: there is no such field."],
  ["a widget that there is not", formWith({ fields: { order: { widget: "slider" } } }), "/form/fields/order/widget: "],
  [
    "a member that there is not",
    formWith({ order: ["orders"] }),
    '/form/order/0: the input has no member "orders". Did you mean "order"? Its members: order, reason, trace, model.',
  ],
  [
    "a group of a member that there is not",
    formWith({ groups: [{ title: "A", fields: ["order", "x"] }] }),
    "/form/groups/0/fields/1: the input has no",
  ],
  ["a help text for a member that there is not", formWith({ fields: { x: { help: "a" } } }), "/form/fields/x: the input has no member"],
  ["an internal member that there is not", formWith({ internal: ["x"] }), "/form/internal/0: the input has no member"],
  ["an embedded member that there is not", formWith({ embed: { hide: ["x"] } }), "/form/embed/hide/0: the input has no member"],
  [
    "a member in two groups",
    formWith({
      groups: [
        { title: "A", fields: ["order"] },
        { title: "B", fields: ["order"] },
      ],
    }),
    '/form/groups/1/fields/0: "order" is named twice.',
  ],
  ["a required member out of sight", formWith({ more: ["order"] }), '/form/more/0: "order" is required, so a form has to show it.'],
  ["a required member that no form shows", formWith({ internal: ["order"] }), '/form/internal/0: "order" is required'],
  [
    "a block that there is not",
    viewWith({ block: "table", data: "/lines" }, { block: "gauge", data: "/total" }),
    '/view/blocks/1/block: there is no block "gauge". Blocks: summary, table, chart, radar, ranking, markdown, image, file, custom.',
  ],
  ["an unknown field of a block", viewWith({ block: "table", data: "/lines", rows: 3 }), "/view/blocks/0/rows: there is no such field."],
  ["data that is no pointer", viewWith({ block: "table", data: "lines" }), "/view/blocks/0/data: this is no JSON pointer"],
  [
    "data that the output does not have",
    viewWith({ block: "table", data: "/line" }),
    '/view/blocks/0/data: the output has no member "line". Did you mean "lines"?',
  ],
  [
    "data below what has no members",
    viewWith({ block: "summary", data: "/total/euros" }),
    '/view/blocks/0/data: the output has no member "euros"',
  ],
  [
    "data of another type",
    viewWith({ block: "chart", data: "/total" }),
    '/view/blocks/0/data: "/total" is of type number, and the block chart takes array.',
  ],
  [
    "a column that rows do not have",
    viewWith({ block: "table", data: "/lines", columns: [line, { name: "price" }] }),
    '/view/blocks/0/columns/1/name: the output has no member "price"',
  ],
  [
    "an axis that rows do not have",
    viewWith({ block: "radar", data: "/lines", axis: "price" }),
    "/view/blocks/0/axis: the output has no member",
  ],
  ["an image without words", viewWith({ block: "image", data: "/note" }), "/view/blocks/0/alt: "],
  [
    "a section of a member that there is not",
    { outputSections: [{ key: "x", label: "X", type: "table" }] },
    'the output has no member "x"',
  ],
  [
    "a section whose block does not take its config",
    { outputSections: [{ key: "lines", label: "L", type: "table", config: { zoom: 1 } }] },
    "/outputSections/0/config/zoom: there is no such field.",
  ],
])("a presentation with %s is refused with the tool and the place", (_, given, message) => {
  expect(() => viewOf("refund", given)).toThrow(
    expect.objectContaining({ code: "definition_invalid", message: expect.stringContaining(message) }),
  );
  expect(() => viewOf("refund", given)).toThrow('Tool "refund", presentation: ');
});

test("output sections are a view where there is none", () => {
  const outputSections = [
    { key: "lines", label: "Lines", type: "chart", config: { shape: "line" } },
    { key: "extra", label: "Map", type: "custom", config: { zoom: 3 } },
    { key: "extra", label: "Globe", type: "custom", config: { renderer: "globe", zoom: 1 } },
  ] as const;
  const blocks = [
    { block: "chart", title: "Lines", data: "/lines", shape: "line" },
    { block: "custom", title: "Map", data: "/extra", renderer: "extra", config: { zoom: 3 } },
    { block: "custom", title: "Globe", data: "/extra", renderer: "globe", config: { zoom: 1 } },
  ];
  expect(viewOf("refund", { outputSections })?.presentation).toEqual({ view: { version: 1, blocks } });
  expect(viewOf("refund", { outputSections, view })?.presentation).toEqual({ view });
});

test("specs are registered for a tool, before or after it, in place of its own", () => {
  const engine = createEngine({ secrets });
  engine.registerFormSpec("tool:refund", form);
  engine.register([refund({ category: "Money", form: { version: 1, more: ["model"] } })]);
  engine.registerViewSpec("tool:refund", view);
  const found = engine.scope(principal).find("refund");
  expect(found?.presentation).toEqual({ category: "Money", form, view });
});

test("a registered spec that does not go with its tool is refused, whichever comes first", () => {
  const engine = createEngine({ secrets, tools: [refund({ view })] });
  const wrong: ViewSpec = { version: 1, blocks: [{ block: "table", data: "/rows" }] };
  expect(() => engine.registerViewSpec("tool:refund", wrong)).toThrow('/view/blocks/0/data: the output has no member "rows"');
  expect(engine.scope(principal).find("refund")?.presentation.view).toEqual(view);
  engine.registerViewSpec("tool:plain", wrong);
  expect(() => engine.register([plain])).toThrow('Tool "plain", presentation: /view/blocks/0/data');
});

test.each([
  [
    "another shape",
    "tool:refund",
    { version: 1, fields: { order: { size: 3 } } },
    "The form spec for tool:refund: /fields/order/size: there is no such field.",
  ],
  ["another key", "refund", { version: 1 }, 'A spec is registered for "refund". Write "tool:" and the name of a tool.'],
])("a registered form with %s is refused", (_, key, spec, message) => {
  expect(() => createEngine().registerFormSpec(key as "tool:x", spec as FormSpec)).toThrow(message);
});
