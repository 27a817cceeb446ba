import type { Question } from "@toolwright/engine/catalogue";
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

    test.each(definition.examples ?? [])("asks a person in its own words: $label", ({ input }) => {
      const question = definition.ask?.(input as never, (words, ...values) => String.raw({ raw: words }, ...values) as Question);
      expect(question).toMatch(/^[A-Z][^?]*\?$/);
      expect(question).not.toMatch(/undefined|null|object/);
    });

    test("names as aliases only members that it has, and no member as an alias", () => {
      const members = Object.keys("shape" in definition.input ? definition.input.shape : {});
      for (const [alias, member] of Object.entries(definition.aliases ?? {})) {
        expect(members).toContain(member);
        expect(members).not.toContain(alias);
      }
    });
  });
});
