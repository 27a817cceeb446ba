import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createEngine } from "../engine.ts";
import type { CapabilityProvider } from "../ports/capability.ts";
import { silentLogger } from "../ports/logger.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { Effects } from "../tool/effects.ts";

const make = (effects: Effects) =>
  defineTool({
    name: "word_count",
    description: "Count words. For anything else read the file.",
    input: z.object({}),
    output: z.object({}),
    effects,
    run: () => ({}),
  });
const files: CapabilityProvider = { name: "files", open: () => ({}) as never };

describe("a tool whose capability nobody provides", () => {
  it.each([
    ["files", make({ files: "read" }), "Add filesCapability({ workspaceOf }) of @toolwright/sandbox to capabilities."],
    ["exec", make({ exec: "run" }), "Add execCapability({ workspaceOf, drivers }) of @toolwright/sandbox to capabilities."],
    ["http", make({ http: "read" }), "Add httpCapability() of @toolwright/sandbox to capabilities."],
    ["git", make({ git: "clone" }), "Add gitCapability({ workspaceOf, drivers }) of @toolwright/sandbox to capabilities."],
    ["client", make({ client: [] } as Effects), "Add clientCapability of @toolwright/doors/mcp to capabilities."],
    ["stock", make({ stock: "read" } as Effects), 'Add a provider named "stock" to capabilities.'],
  ])("is refused by createEngine, which says what to add for %s", (name, tool, remedy) => {
    const message = `word_count declares effects.${name}, and no capability provides ${name}. ${remedy}`;
    expect(() => createEngine({ tools: [tool] })).toThrow(expect.objectContaining({ code: "definition_invalid", message }));
  });

  it("is refused by register, which then adds nothing", () => {
    const engine = createEngine({ logger: silentLogger });
    expect(() => engine.register([make({}), make({ files: "read" })])).toThrow(/no capability provides files/);
    expect(engine.snapshot().tools).toEqual([]);
  });

  it("is a problem of its file in a folder, whose other tools stay", async () => {
    const tools: Record<string, unknown> = { "a.tool.ts": make({ files: "read" }), "b.tool.ts": make({}) };
    const source = {
      name: "mine",
      list: async () => Object.keys(tools),
      load: async (file: string) => ({ default: tools[file] }),
      watch: () => () => {},
    };
    const { loaded, problems } = await createEngine().load(source);
    expect(loaded).toEqual(["word_count"]);
    expect(problems).toEqual([
      expect.objectContaining({
        file: "a.tool.ts",
        message: expect.stringMatching(/^mine\/a\.tool\.ts: word_count declares effects\.files/),
      }),
    ]);
  });
});

describe("a tool has what it declares", () => {
  it.each([
    ["from a provider of the engine", make({ files: "read" }), [files]],
    ["from the engine itself: secrets and calls of tools", make({ secrets: ["TOKEN"], tools: ["other"] }), []],
  ])("%s", (_, tool, capabilities) => {
    expect(() => createEngine({ tools: [tool], capabilities })).not.toThrow();
  });
});
