import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";
import { quotedSource } from "./quoted-source.ts";

/** What embedders and authors of tools meet first. */
const main = [
  "CallResult",
  "Engine",
  "EngineOptions",
  "PolicyOption",
  "Scope",
  "ToolContext",
  "ToolwrightError",
  "createEngine",
  "createToolwright",
  "defineTool",
];

const declared =
  /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(?:\/\/ biome-ignore .*\n)?export (?:async )?(?:interface|type|const|function|class) (\w+)/gm;
const sources = globSync("packages/*/src/**/*.ts", { cwd: root }).filter((path) => !path.endsWith(".test.ts"));
const examples = sources.flatMap((path) => {
  const code = readFileSync(join(root, path), "utf8");
  return Array.from(code.matchAll(declared)).flatMap(([, text = "", name = ""]) => {
    const lines = text.replaceAll(/^ \* ?/gm, "");
    return lines
      .split(/^@example/m)
      .slice(1)
      .map((example) => ({ name, ...readExample(example) }));
  });
});

/** The file or region behind the tag, and the fence below it. */
function readExample(example: string): { readonly source: string; readonly text: string } {
  const [, source = "", text = ""] = /^ (examples\/\S+)\n```ts\n([\s\S]*?)^```\s*$/m.exec(example) ?? [];
  return { source, text };
}

test("every example of a docstring is found", () => {
  const tags = sources.reduce((sum, path) => sum + (readFileSync(join(root, path), "utf8").match(/^\s*\* @example/gm)?.length ?? 0), 0);
  expect(examples.length).toBe(tags);
});

test.each(main)("%s has an example", (name) => {
  expect(examples.filter((example) => example.name === name).length).toBe(1);
});

test.each(examples)("the example of $name quotes $source as it is", ({ source, text }) => {
  expect(source).toMatch(/^examples\/[\w-]+\/[\w.-]+\.ts(#\w+)?$/);
  expect(text.trimEnd()).toBe(quotedSource(source));
});
