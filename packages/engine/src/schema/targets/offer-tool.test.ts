import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createEngine } from "../../engine.ts";
import { defineTool, type ToolExample } from "../../tool/define-tool.ts";
import { exampleBudget, offerTool } from "./offer-tool.ts";

function viewWith(examples: readonly ToolExample[]) {
  const input = z.object({ path: z.string(), line: z.int().nullish() });
  const tool = defineTool({ name: "look", description: "Looks at a line.", input, output: z.object({}), examples, run: () => ({}) });
  const principal = { tenant: "t", actor: { kind: "user", id: "u" }, permissions: [], door: "mcp" } as const;
  return createEngine({ tools: [tool] })
    .scope(principal, { session: "s" })
    .find("look")!;
}

const whole = { label: "One line", input: { path: "a.txt", line: 3 } };

describe("examples of a tool", () => {
  test("stand in the description, where a target has no field for them", () => {
    const { description, inputExamples } = offerTool(viewWith([whole]), "mcp-2026-07-28");
    expect(description).toBe('Looks at a line.\nExamples:\nOne line: {"path":"a.txt","line":3}');
    expect(inputExamples).toBeUndefined();
  });

  test("stand in the target's own field alone, where it has one", () => {
    expect(offerTool(viewWith([whole]), "anthropic")).toMatchObject({ description: "Looks at a line.", inputExamples: [whole.input] });
  });

  test("are left out when they are only a part of an input, which a provider refuses", () => {
    expect(offerTool(viewWith([{ label: "A part", input: { line: 3 } }]), "anthropic")).not.toHaveProperty("inputExamples");
    expect(offerTool(viewWith([]), "mcp-2026-07-28")).toMatchObject({ description: "Looks at a line.", tokens: { examples: 0 } });
  });

  test("keep to the budget: a long one makes room for a short one after it", () => {
    const long = { label: "A long one", input: { path: "x".repeat(exampleBudget * 4) } };
    const { description, tokens } = offerTool(viewWith([whole, long, { ...whole, label: "Again" }]), "openai");
    expect(description.split("\n").slice(2)).toEqual([expect.stringContaining("One line"), expect.stringContaining("Again")]);
    expect(tokens.examples).toBeLessThanOrEqual(exampleBudget);
  });
});
