import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { exportedNames } from "./architecture/exported-names.ts";
import { root } from "./architecture/source-files.ts";

const index = join(root, "packages/engine/src/index.ts");
const names = exportedNames(index).map((name) => name.replace(/^type /, ""));

test("the walk finds every name of the engine's entrance", () => {
  expect(names.length).toBeGreaterThan(100);
});

test.each(names)("%s has a docstring that stands alone", (name) => {
  expect(findFault(docstringOf(name, index))).toBeUndefined();
});

test.each([
  ["no docstring", undefined],
  ["one that needs its neighbour", "The same with any method."],
  ["one that begins in the middle of a sentence", "Of the tool's schema."],
  ["one that is no sentence", "An engine"],
])("%s is a fault", (_, text) => {
  expect(findFault(text)).toBeDefined();
});

function findFault(text: string | undefined): string | undefined {
  if (text === undefined) return "It has no docstring.";
  if (/^(The same|Of |Its |Their |Like )/.test(text)) return `It leans on another docstring: ${text}`;
  return /[.:?)]($|\s)/.test(text) ? undefined : `It is no sentence: ${text}`;
}

/** The words above a declaration, found through the re-exports of this repository's packages. */
function docstringOf(name: string, file: string): string | undefined {
  const code = readFileSync(file, "utf8");
  const declared = new RegExp(
    `(?:/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\n)?^export (?:async )?(?:interface|type|const|function|class) ${name}\\b`,
    "m",
  );
  const found = declared.exec(code);
  if (found) return found[1]?.replaceAll(/^\s*\* ?/gm, "").trim();
  const source = sourceOf(name, code);
  if (source === undefined) throw new Error(`${file} neither declares nor imports ${name}.`);
  return docstringOf(name, fileOf(source, file));
}

function sourceOf(name: string, code: string): string | undefined {
  for (const [, list = "", source] of code.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from "([^"]+)"/gm))
    if (list.split(",").some((item) => item.trim().replace(/^type /, "") === name)) return source;
  return undefined;
}

function fileOf(source: string, from: string): string {
  return source.startsWith(".") ? join(dirname(from), source) : join(root, "packages", source.replace("@toolwright/", ""), "src/index.ts");
}
