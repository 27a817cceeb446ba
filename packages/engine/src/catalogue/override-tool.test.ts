import { describe, expect, it } from "vitest";
import { z } from "zod";
import { defineTool } from "../tool/define-tool.ts";
import { compileTool } from "./compile-tool.ts";
import { overrideTool } from "./override-tool.ts";

const base = compileTool(
  defineTool({
    name: "probe",
    description: "A tool to be narrowed.",
    input: z.object({}),
    output: z.object({}),
    approval: "always_ask",
    limits: { timeoutMs: 1000 },
    visibility: { feature: "memory", tenants: ["acme"] },
    run: () => ({}),
  }),
  { kind: "builtin", source: "test" },
);

describe("an override of a tool", () => {
  it("changes texts and narrows, and keeps all else", () => {
    const tool = overrideTool(base, { tool: "probe", title: "Other", limits: { timeoutMs: 10, idleMs: 5 }, visibility: { optIn: true } });
    expect(tool.title).toBe("Other");
    expect(tool.definition).toMatchObject({
      description: "A tool to be narrowed.",
      limits: { timeoutMs: 10, idleMs: 5 },
      approval: "always_ask",
      visibility: { feature: "memory", tenants: ["acme"], optIn: true },
    });
    expect(tool.definition.run).toBe(base.definition.run);
  });

  it("has another hash, so that an approval of the tool as it was is void", () => {
    expect(overrideTool(base, { tool: "probe", description: "Another text." }).hash).not.toBe(base.hash);
  });

  it.each([
    ["a longer limit than the definition's", { limits: { timeoutMs: 1001 } }],
    ["a larger output than the engine's default", { limits: { maxOutputBytes: 100_001 } }],
    ["a limit that is none", { limits: { timeoutMs: 0 } }],
    ["another feature", { visibility: { feature: "knowledge" } }],
    ["an empty description", { description: " " }],
    ["invisible characters", { title: "Probe\u200b" }],
  ])("is refused for %s", (_, override) => {
    expect(() => overrideTool(base, { tool: "probe", ...override })).toThrow(/An override only narrows/);
  });
});
