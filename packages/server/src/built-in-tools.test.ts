import type { Subject } from "@toolwright/engine/operations";
import { subjects } from "@toolwright/engine/subjects";
import { toolConformance } from "@toolwright/engine/testing";
import { expect, test } from "vitest";
import { builtInTools } from "./built-in-tools.ts";

test.each(builtInTools.map((definition) => [definition.name, definition] as const))(
  "%s compiles, as an engine takes for granted when it begins",
  async (name, definition) => {
    const [wellFormed] = toolConformance([{ source: name, definition }]);
    expect(wellFormed?.name).toBe(`${name}: is well formed`);
    await wellFormed?.run();
  },
);

test("each capability by which tools reach a subject has built-in tools", () => {
  const reached = new Set(builtInTools.flatMap(({ effects = {} }) => Object.keys(effects)));
  const named = subjects.flatMap(({ tools }: Subject) => tools ?? []);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((capability) => !reached.has(capability))).toEqual([]);
});
