import { describe, expect, it, vi } from "vitest";
import { z } from "zod";
import type { ModuleSource } from "../ports/module-source.ts";
import { createManualClock } from "../testing/manual-clock.ts";
import { defineTool } from "../tool/define-tool.ts";
import { Catalogue } from "./catalogue.ts";
import { loadFolder } from "./load-folder.ts";

const builtin = { kind: "builtin", source: "built-in" } as const;
const make = (name: string, more: object = {}) =>
  defineTool({ name, description: "A tool for tests.", input: z.object({}), output: z.object({}), run: () => ({}), ...more });
const makeCatalogue = (environment: string[] = []) => {
  const warnings: string[] = [];
  return {
    warnings,
    catalogue: new Catalogue({
      environment: new Set(environment),
      capabilities: new Set(["files"]),
      warn: (message) => warnings.push(message),
    }),
  };
};
const names = (catalogue: Catalogue) => catalogue.snapshot.tools.map(({ name }) => name);

function folder(files: Record<string, () => unknown>): ModuleSource {
  return {
    name: "my-tools",
    list: async () => Object.keys(files).sort(),
    load: async (file) => ({ default: files[file]?.() }),
    watch: () => () => {},
  };
}

describe("catalogue", () => {
  it("keeps the order of names, however tools were registered", () => {
    const { catalogue } = makeCatalogue();
    catalogue.register([make("zebra"), make("apple")], builtin);
    catalogue.register([make("mango")], builtin);
    expect(names(catalogue)).toEqual(["apple", "mango", "zebra"]);
  });

  it("has the same revision for the same tools, and another when one changes", () => {
    const [a, b, c] = [makeCatalogue().catalogue, makeCatalogue().catalogue, makeCatalogue().catalogue];
    a.register([make("one"), make("two")], builtin);
    b.register([make("two"), make("one")], builtin);
    c.register([make("one"), make("two", { description: "Changed for tests." })], builtin);
    expect(a.snapshot.revision).toBe(b.snapshot.revision);
    expect(a.snapshot.revision).not.toBe(c.snapshot.revision);
  });

  it("knows what it left out for want of a variable, until that is dropped", () => {
    const { catalogue } = makeCatalogue();
    catalogue.register([make("one"), make("needy", { requiredEnv: ["NEEDED"] })], builtin);
    expect([names(catalogue), catalogue.snapshot.leftOut]).toEqual([["one"], ["needy"]]);
    catalogue.replace([], () => true);
    expect(catalogue.snapshot.leftOut).toEqual([]);
  });

  it("takes the schemas that another one compiled of the same definition, and builds those anew that depend on their call", () => {
    const build = vi.fn(() => z.object({}));
    const definitions = [make("fixed"), make("built", { input: build })];
    const [first, second] = [makeCatalogue().catalogue, makeCatalogue().catalogue];
    first.register(definitions, builtin);
    const built = build.mock.calls.length;
    second.register(definitions, { kind: "embedder", source: "elsewhere" });
    const of = (catalogue: Catalogue) => catalogue.snapshot.find("fixed")!;
    expect(of(second).output).toBe(of(first).output);
    expect(of(second).hash).not.toBe(of(first).hash);
    const third = makeCatalogue().catalogue;
    third.register(definitions, { ...builtin, executes: "another" });
    expect([of(third).hash === of(first).hash, of(third).body === of(first).body]).toEqual([false, false]);
    const fourth = makeCatalogue().catalogue;
    fourth.register(definitions, builtin);
    expect([of(fourth).hash, of(fourth).body]).toEqual([of(first).hash, of(first).body]);
    expect(build).toHaveBeenCalledTimes(4 * built);
  });

  it("gives a tool that was only renamed the same body, and another hash", () => {
    const { catalogue } = makeCatalogue();
    catalogue.register([make("one"), make("two"), make("three", { description: "Another text." })], builtin);
    const [one, three, two] = catalogue.snapshot.tools;
    expect([one?.body === two?.body, one?.hash === two?.hash, one?.body === three?.body]).toEqual([true, false, false]);
  });

  it("refuses a name that is taken and stays as it was", () => {
    const { catalogue } = makeCatalogue();
    catalogue.register([make("one")], builtin);
    expect(() => catalogue.register([make("two"), make("one")], { kind: "embedder", source: "app" })).toThrow(
      /app: the name "one" is taken by built-in/,
    );
    expect(names(catalogue)).toEqual(["one"]);
  });

  it("leaves out a tool whose environment variables are missing, with a warning", () => {
    const { catalogue, warnings } = makeCatalogue(["HAVE"]);
    catalogue.register([make("one", { requiredEnv: ["HAVE"] }), make("two", { requiredEnv: ["HAVE", "NEED"] })], builtin);
    expect(names(catalogue)).toEqual(["one"]);
    expect(warnings).toEqual([expect.stringMatching(/"two".*set NEED/)]);
  });

  it("tells listeners of a change, and not when nothing changed", async () => {
    const { catalogue } = makeCatalogue();
    const listener = vi.fn();
    catalogue.onChange(listener);
    const source = folder({ "a.tool.ts": () => make("a") });
    await loadFolder(catalogue, source);
    await loadFolder(catalogue, source);
    expect(listener).toHaveBeenCalledTimes(1);
  });

  const malformed: [string, unknown, RegExp][] = [
    ["no tool at all", { name: "x" }, /default export is not a tool.*defineTool/],
    ["a name with capitals", make("Bad"), /name "Bad" is not allowed/],
    ["a name that is too long", make("a".repeat(65)), /not allowed/],
    ["no description", make("x", { description: " " }), /no description/],
    ["a zero-width space in its description", make("x", { description: "Read\u200b files." }), /invisible/],
    ["tag characters in its description", make("x", { description: "Read\u{e0041} files." }), /invisible/],
    ["no run function", make("x", { run: undefined }), /no run function/],
    ["no output schema", make("x", { output: undefined }), /no output schema/],
    ["no input schema", make("x", { input: undefined }), /no input schema/],
  ];
  it.each(malformed)("refuses a definition with %s", (_, definition, message) => {
    expect(() => makeCatalogue().catalogue.compile(definition, { kind: "pack", source: "f.tool.ts" })).toThrow(message);
  });
});

describe("loading a folder", () => {
  it("goes on with the next file while one waits, and keeps the order in which names are given away", async () => {
    const { catalogue } = makeCatalogue();
    const clock = createManualClock(0);
    const waiting = Promise.withResolvers<unknown>();
    const started: string[] = [];
    const source: ModuleSource = {
      ...folder({ "a.tool.ts": () => waiting.promise, "b.tool.ts": () => make("same"), "c.tool.ts": () => make("other") }),
      load: async (file) => {
        started.push(file);
        return { default: file === "a.tool.ts" ? await waiting.promise : make(file === "b.tool.ts" ? "same" : "other") };
      },
    };
    const loading = loadFolder(catalogue, source, clock);
    await vi.waitFor(() => expect(started).toEqual(["a.tool.ts"]));
    await clock.advance(500);
    await vi.waitFor(() => expect(started).toHaveLength(3));
    waiting.resolve(make("same"));
    expect(await loading).toMatchObject({ loaded: ["other", "same"], problems: [{ file: "b.tool.ts", code: "duplicate_tool" }] });
  });

  it("loads what is sound, and names file, code and fix of what is not", async () => {
    const { catalogue } = makeCatalogue();
    catalogue.register([make("taken")], builtin);
    const report = await loadFolder(
      catalogue,
      folder({
        "bad.tool.ts": () => make("Bad"),
        "crash.tool.ts": () => {
          throw new SyntaxError("Unexpected token");
        },
        "good.tool.ts": () => make("good"),
        "same-a.tool.ts": () => make("same"),
        "same-b.tool.ts": () => make("same"),
        "taken.tool.ts": () => make("taken"),
      }),
    );
    expect(report.loaded).toEqual(["good", "same"]);
    expect(report.problems.map(({ file, code }) => [file, code])).toEqual([
      ["bad.tool.ts", "definition_invalid"],
      ["crash.tool.ts", "load_failed"],
      ["same-b.tool.ts", "duplicate_tool"],
      ["taken.tool.ts", "duplicate_tool"],
    ]);
    expect(names(catalogue)).toEqual(["good", "same", "taken"]);
    for (const { file, message } of report.problems) expect(message).toContain(`my-tools/${file}`);
  });

  it("names file, rule and fix of a schema that no target can say", async () => {
    const { catalogue } = makeCatalogue();
    const refused = () => make("refused", { input: z.object({ since: z.date() }) });
    const report = await loadFolder(catalogue, folder({ "refused.tool.ts": refused }));
    expect(report.problems).toEqual([
      {
        file: "refused.tool.ts",
        code: "schema_refused",
        message: expect.stringMatching(/^my-tools\/refused\.tool\.ts: .*representable.*Use /),
      },
    ]);
  });

  it("replaces what the folder gave before, and nothing else", async () => {
    const { catalogue } = makeCatalogue();
    catalogue.register([make("mine")], builtin);
    await loadFolder(catalogue, folder({ "a.tool.ts": () => make("a"), "b.tool.ts": () => make("b") }));
    await loadFolder(catalogue, folder({ "b.tool.ts": () => make("b", { title: "New" }), "c.tool.ts": () => make("c") }));
    expect(names(catalogue)).toEqual(["b", "c", "mine"]);
    expect(catalogue.snapshot.find("b")?.title).toBe("New");
  });
});
