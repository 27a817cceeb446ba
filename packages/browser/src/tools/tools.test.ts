import { toolConformance } from "@toolwright/engine/testing";
import { describe, expect, test } from "vitest";
import { browserTools } from "./index.ts";

describe("the tools of the browser", () => {
  test("ask for a permission that says whether they act", () => {
    for (const { name, effects, permission } of browserTools)
      expect([name, permission]).toEqual([name, effects?.browser === "act" ? "browser.tenant.act" : "browser.tenant.read"]);
  });

  test("all say that what they show is of the page, and that a feature hides them", () => {
    for (const { foreign, visibility } of browserTools) expect([foreign?.kind, visibility?.feature]).toEqual(["browser", "browser"]);
  });

  describe.each(browserTools.map((definition) => [definition.name, definition] as const))("%s", (name, definition) => {
    for (const { name: rule, run, skip } of toolConformance([{ source: name, definition }])) test.skipIf(skip !== undefined)(rule, run);
  });
});
