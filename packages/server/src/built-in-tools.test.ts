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
