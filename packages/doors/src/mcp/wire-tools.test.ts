import { createEngine, defineTool, type Principal } from "@toolwright/engine";
import { expect, test } from "vitest";
import { z } from "zod";
import { listWireTools, toolMetaKey } from "./wire-tools.ts";

const plain = defineTool({ name: "plain", description: "Do it.", input: z.object({}), output: z.object({}), run: () => ({}) });
const shown = defineTool({ ...plain, name: "shown", icon: "coins", presentation: { category: "Money" } });
const principal: Principal = { tenant: "acme", actor: { kind: "user", id: "ann" }, permissions: [], door: "mcp" };

test("a client is given the presentation of a tool that has one", () => {
  const tools = listWireTools(createEngine({ tools: [plain, shown] }).scope(principal, { session: "s1" }));
  const metas = tools.map(({ name, _meta }) => [name, (_meta?.[toolMetaKey] as { presentation?: unknown } | undefined)?.presentation]);
  expect(metas).toEqual([
    ["plain", undefined],
    ["shown", { category: "Money", icon: "coins" }],
  ]);
});

test("a spec that is registered later is in the next list", () => {
  const engine = createEngine({ tools: [plain] });
  const scope = engine.scope(principal, { session: "s1" });
  const presented = () => (listWireTools(scope)[0]?._meta?.[toolMetaKey] as { presentation?: unknown } | undefined)?.presentation;
  expect(presented()).toBeUndefined();
  const view = { version: 1, blocks: [{ block: "summary", data: "" }] } as const;
  engine.registerViewSpec("tool:plain", view);
  expect(presented()).toEqual({ view });
  const form = { version: 1 } as const;
  engine.registerFormSpec("tool:plain", form);
  expect(presented()).toEqual({ view, form });
});
