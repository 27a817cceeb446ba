import { readdirSync, readFileSync } from "node:fs";
import { isToolDefinition } from "@toolwright/engine";
import { toolConformance } from "@toolwright/engine/testing";
import { describe, expect, test } from "vitest";
import { productTools as builtinTools } from "./index.ts";

const here = new URL(".", import.meta.url);
/** Modules with `export default defineTool(`: others may not be fit to be imported alone. */
const modules = readdirSync(here, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => new URL(file, here))
  .filter((file) => /^export default defineTool\(/m.test(readFileSync(file, "utf8")));

describe("the built-in tools", () => {
  test("are exactly the files that define a tool, so that none is forgotten", async () => {
    const defined = (await Promise.all(modules.map((file) => import(file.href))))
      .map(({ default: value }) => value)
      .filter(isToolDefinition);
    expect(builtinTools.map(({ name }) => name).sort()).toEqual(defined.map(({ name }) => name).sort());
  });

  test("have names of their own", () => expect(new Set(builtinTools.map(({ name }) => name)).size).toBe(builtinTools.length));

  test("ask for a permission, and only what reads for one to read: who may only look changes nothing", () => {
    const asked = Object.fromEntries(builtinTools.map(({ name, permission }) => [name, permission ?? "nothing"]));
    // What is said of a call as a whole is true or false.
    const reads = (effect: unknown) => effect === undefined || typeof effect === "boolean" || effect === "read" || effect === "watch";
    const reading = builtinTools.filter(({ effects = {} }) => Object.values(effects).every(reads));
    // What was cut of a call's own output.
    expect(Object.keys(asked).filter((name) => asked[name] === "nothing")).toEqual(["artifact_read"]);
    expect(Object.keys(asked).filter((name) => asked[name]?.endsWith(".read"))).toEqual(
      reading.map(({ name }) => name).filter((name) => name !== "artifact_read"),
    );
  });

  describe.each(builtinTools.map((definition) => [definition.name, definition] as const))("%s", (name, definition) => {
    for (const { name: rule, run, skip } of toolConformance([{ source: name, definition }])) {
      test.skipIf(skip !== undefined)(rule, run);
    }
  });
});
