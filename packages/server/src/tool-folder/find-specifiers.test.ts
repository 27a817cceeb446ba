import { expect, test } from "vitest";
import { findSpecifiers } from "./find-specifiers.ts";

const found = (text: string) => findSpecifiers(text).map((specifier) => `${specifier.by} ${specifier.text}`);

/** The text of a call, which the search for imports of this repository must not take for one. */
const call = (name: string, argument: string) => `${name}(${argument})`;

test.each<[string, string, string[]]>([
  ["an import", 'import a from "./a.ts";', ["import ./a.ts"]],
  ["an import for its effect", "import './a.ts';", ["import ./a.ts"]],
  ["an import over lines", 'import {\n  a,\n} from "./a.ts";', ["import ./a.ts"]],
  ["an export of another file", 'export * from "./a.ts";', ["import ./a.ts"]],
  ["a late import", `${call("import", '"./a.ts"')}`, ["import ./a.ts"]],
  ["a late import with a comment", `${call("import", '/* late */ "./a.ts", { with: {} }')}`, ["import ./a.ts"]],
  ["a template without values", `${call("import", "`./a.ts`")}`, ["import ./a.ts"]],
  ["an escaped name", `${call("import", '"./\\u0061.ts"')}`, ["import ./a.ts"]],
  ["a required file", `${call("require", '"./a"')}`, ["require ./a"]],
  ["a file that is looked up", `${call("require.resolve", '"./a"')}`, ["require ./a"]],
  ["a require of another name", `const load = createRequire(import.meta.url); ${call("load", '"./a"')}`, ["require ./a"]],
  ["a require that is made and used at once", 'createRequire(import.meta.url)("./a")', ["require ./a"]],
  ["the script of a worker", 'new Worker(new URL("./work.mjs", import.meta.url))', ["url ./work.mjs"]],
  ["a file that is no code", 'new URL("./data.txt", import.meta.url)', []],
  [
    "a computed name",
    `${call("import", "name")}; ${call("import", `"./" + name`)}; ${call("require", "`./$".concat("{name}`"))}`,
    ["import ./"],
  ],
])("%s", (_, text, expected) => {
  expect(found(text)).toEqual(expected);
});

test.each(["import/*", "from ".repeat(3), 'require("', "createRequire(((", "new URL(\n", "import '\\"])(
  "a long text of %j takes no long time",
  (part) => {
    const started = performance.now();
    found(part.repeat(20_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  },
);
