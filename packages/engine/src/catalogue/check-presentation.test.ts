import { expect, test } from "vitest";
import { z } from "zod";
import type { Principal } from "../contract/principal.ts";
import { createEngine } from "../engine.ts";
import { createMemorySecretStore } from "../memory/secret-store.ts";
import { defineTool, type ToolPresentation } from "../tool/define-tool.ts";

const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: ["money"], door: "cli" };
const input = z.object({ order: z.string(), reason: z.string() });
const refund = (presentation?: unknown) =>
  defineTool({
    name: "refund",
    description: "Refund an order.",
    input,
    output: z.object({}),
    effects: { secrets: ["BANK_KEY"], destructive: true },
    approval: "always_ask",
    permission: "money",
    limits: { timeoutMs: 5_000 },
    aliases: { id: "order" },
    ...(presentation !== undefined && { presentation: presentation as ToolPresentation }),
    run: () => ({}),
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

const presentation: ToolPresentation = {
  icon: "coins",
  category: "Money",
  form: { reason: { label: "Why", widget: "textarea" } },
  sections: [{ title: "Order", fields: ["order", "reason"] }],
};

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

test.each([
  [
    "a member that there is not",
    { sections: [{ title: "A", fields: ["amount"] }] },
    'the input has no member "amount". Its members: order, reason.',
  ],
  ["a form for a member that there is not", { form: { amount: {} } }, 'the input has no member "amount"'],
  [
    "a member in two sections",
    {
      sections: [
        { title: "A", fields: ["order"] },
        { title: "B", fields: ["order"] },
      ],
    },
    "in two sections",
  ],
  ["a key that there is not", { colour: "red" }, "colour"],
  ["a widget that there is not", { form: { order: { widget: "slider" } } }, "/form/order/widget"],
])("a presentation with %s is refused with the tool and the place", (_, given, message) => {
  expect(() => viewOf("refund", given)).toThrow(
    expect.objectContaining({ code: "definition_invalid", message: expect.stringContaining(message) }),
  );
  expect(() => viewOf("refund", given)).toThrow('Tool "refund", presentation: ');
});
