import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exportedNames } from "./architecture/exported-names.ts";
import { root } from "./architecture/source-files.ts";

interface Rule {
  readonly word: string;
  readonly means: string;
  readonly allows: (name: string, file: string) => boolean;
}

/** The page docs/reference/words.md explains each noun. */
const rules: readonly Rule[] = [
  {
    word: "runtime",
    means: "the situation of an agent, and the tool group of that name",
    allows: (name) => /^(Runtime|runtimeTools)$/.test(name),
  },
  {
    word: "scope",
    means: "what engine.scope gives; in compounds the term of OAuth or of MCP clients",
    allows: (name) =>
      /^(Scope|TypedScope|createScope|cliScope)$/.test(name) || /^(oauth|client|Client|readClient|tool|answer|with)Scopes?$/.test(name),
  },
  { word: "grant", means: "a remembered yes of a person", allows: (_, file) => /\/(grants[./]|grant-|remember)/.test(file) },
  {
    word: "assignment",
    means: "what a sub-agent is given for a piece of work; in command lines, that of a variable",
    allows: (_, file) => /^packages\/commands\/|\/ceiling\//.test(file),
  },
  { word: "place", means: "where a nested call stands in its tree", allows: (name) => /^(Call)?Place$/.test(name) },
  ...["places", "placed", "holder", "holders", "owe", "owes", "owed", "owing", "told"].map((word) => ({
    word,
    means: "nothing: it says too little",
    allows: () => false,
  })),
];

const wordsOf = (name: string) => name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g)?.map((word) => word.toLowerCase()) ?? [];

function findMisused(name: string, file: string): readonly string[] {
  const words = new Set(wordsOf(name));
  return rules
    .filter(({ word, allows }) => words.has(word) && !allows(name, file))
    .map(({ word, means }) => `${file}: ${name} ("${word}" means ${means})`);
}

/** Where names are declared; other files pass them on. */
const files = globSync("packages/*/src/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !/\.test\.ts$|\/entries\/|packages\/[^/]+\/src\/(testing\/)?index\.ts$/.test(file));
const misused = files.flatMap((file) => exportedNames(join(root, file)).flatMap((name) => findMisused(name.replace(/^type /, ""), file)));

test("exported names use each noun for one idea", () => {
  expect(files.length).toBeGreaterThan(300);
  expect(misused).toEqual([]);
});

test.each([
  ["SandboxRuntime", "packages/engine/src/ports/x.ts"],
  ["GrantScope", "packages/engine/src/ports/grant-store.ts"],
  ["childGrant", "packages/engine/src/policy/ceiling/x.ts"],
  ["readPlace", "packages/server/src/x.ts"],
  ["Holder", "packages/doors/src/x.ts"],
  ["oweEndings", "packages/postgres/src/x.ts"],
  ["ToldProtection", "packages/engine/src/gate/x.ts"],
])("the name %s in %s is found", (name, file) => {
  expect(findMisused(name, file)).toHaveLength(1);
});

test.each(["allowed", "followEvents", "replacePlaceholder", "isStillAllowed"])("%s has none of these words", (name) => {
  expect(findMisused(name, "packages/engine/src/x.ts")).toEqual([]);
});

test("the page of words explains each word that has a meaning", () => {
  const page = readFileSync(join(root, "docs/reference/words.md"), "utf8");
  expect(rules.filter(({ word, means }) => !means.startsWith("nothing") && !page.includes(`| ${word} `)).map(({ word }) => word)).toEqual(
    [],
  );
});
