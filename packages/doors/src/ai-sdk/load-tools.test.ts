import { createEngine, defineTool } from "@toolwright/engine";
import { expect, it } from "vitest";
import { z } from "zod";
import { toAISDK } from "./to-ai-sdk.ts";

function openScope(names: readonly string[]) {
  const make = (name: string) =>
    defineTool({ name, description: `Does ${name}.`, input: z.object({}), output: z.object({}), run: () => ({}) });
  return createEngine({ tools: names.map(make) }).scope({ tenant: "acme", actor: { kind: "user", id: "ann" } });
}

const many = Array.from({ length: 200 }, (_, index) => `tool_${index}`);

it("never sends more tools than providers take, whatever the budget", () => {
  const { toolOrder, tools } = toAISDK(openScope(many), { budget: Number.POSITIVE_INFINITY });
  expect(toolOrder).toHaveLength(128);
  expect(Object.values(tools).filter(({ deferLoading }) => !deferLoading)).toHaveLength(128);
});

it("has no search where all tools are in every request", () => {
  expect(Object.keys(toAISDK(openScope(["one", "two"])).tools)).toEqual(["one", "two"]);
});

it("leaves a tool of the catalogue its name, and gives the search another", () => {
  const { toolOrder, tools } = toAISDK(openScope(["one", "tool_search"]), { budget: 0 });
  expect(toolOrder).toEqual(["tool_search_"]);
  expect(tools.tool_search?.deferLoading).toBe(true);
});

it("fits smaller tools into what a large one leaves of the budget, the same ones each time", () => {
  const scope = openScope(many);
  const door = toAISDK(scope, { budget: 500 });
  const sum = door.why().reduce((tokens, tool) => tokens + (tool.state === "budget" ? tool.tokens : 0), 0);
  expect(sum).toBeGreaterThan(400);
  expect(sum).toBeLessThanOrEqual(500);
  expect(toAISDK(scope, { budget: 500 }).toolOrder).toEqual(door.toolOrder);
});
