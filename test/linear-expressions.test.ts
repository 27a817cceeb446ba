import { type AST, parseRegExpLiteral, visitRegExpAST } from "@eslint-community/regexpp";
import { parseAst } from "rolldown/parseAst";
import { analyse } from "scslre";
import { expect, test } from "vitest";
import { isTestFile, readSourceFiles } from "./architecture/source-files.ts";

/** Expressions that may take the square of their text, since its length is bounded or nobody waits for it. */
const bounded = new Map([
  ["packages/agents/src/models/demo.ts", "the model of the demonstration"],
  ["packages/postgres/src/migrate/read-migrations.ts", "the package's own files"],
  ["packages/server/src/policy-file/read-policy-text.ts", "1,000 characters at most"],
  ["packages/tools/src/documents/parse/read-markdown.ts", "runs in the thread that parses, with a deadline"],
  ["packages/tools/src/documents/parse/read-notebook.ts", "runs in the thread that parses, with a deadline"],
  ["packages/tools/src/documents/parse/selection.ts", "500 characters at most"],
]);

/** Expressions that may keep a place for each repetition of a group, since the length of their text is bounded. */
const shortTexts = new Map([
  ["packages/commands/src/judge/judge-commands.ts", "1,000 characters at most"],
  ["packages/agents/src/models/bedrock.ts", "the name of a region"],
  ["packages/browser/src/page/take-snapshot.ts", "what a snapshot shows of a page"],
  ["packages/cli/src/client-config/toml-headers.ts", "a file of the person who runs the command"],
  ["packages/commands/src/programs/awk-program.ts", "a command line of 32,768 characters at most"],
  ["packages/commands/src/programs/jq-filter.ts", "a command line of 32,768 characters at most"],
  ["packages/commands/src/programs/shell-builtins.ts", "a command line of 32,768 characters at most"],
  ["packages/commands/src/programs/system-programs.ts", "a command line of 32,768 characters at most"],
  ["packages/commands/src/read/flatten-script.ts", "a command line of 32,768 characters at most"],
  ["packages/commands/src/read/analyse-line.ts", "a command line of 32,768 characters at most"],
  ["packages/commands/src/rules/command-rules.ts", "a rule of a policy"],
  ["packages/engine/src/catalogue/presentation-schema.ts", "1,000 characters at most"],
  ["packages/postgres/src/jobs/worker/split-statements.ts", "the package's own statements"],
  ["packages/postgres/src/migrate/read-migrations.ts", "the package's own files"],
  ["packages/sandbox/src/binding/shell-commands.ts", "256 characters at most"],
  ["packages/sandbox/src/credentials/secret-values.ts", "4,096 characters at most"],
  ["packages/sandbox/src/exec/implicit-files.ts", "a command line of 32,768 characters at most"],
  ["packages/sandbox/src/exec/words-of-command.ts", "a command line of 32,768 characters, or a manifest of 1 MiB, at most"],
  ["packages/sandbox/src/files/glob-pattern.ts", "1,000 characters at most"],
  ["packages/sandbox/src/repository/parse-configuration.ts", "1 MiB at most"],
  ["packages/server/src/policy-file/read-policy-text.ts", "1,000 characters at most"],
  ["packages/tools/src/documents/parse/selection.ts", "500 characters at most"],
  ["packages/tools/src/fs/patch/read-names.ts", "two names of 4,096 bytes at most"],
  ["packages/tools/src/knowledge/cut-text.ts", "1,200 characters at most"],
  ["packages/tools/src/net/web-search.ts", "253 characters at most"],
]);

/** The expressions of a file that are written out; those that are put together from text are small and few. */
function* expressionsIn(node: unknown): Generator<{ readonly pattern: string; readonly flags: string }> {
  if (typeof node !== "object" || node === null) return;
  if ("regex" in node && typeof node.regex === "object" && node.regex !== null) yield node.regex as { pattern: string; flags: string };
  for (const child of Object.values(node)) yield* expressionsIn(child);
}

const isSlow = ({ pattern, flags }: { readonly pattern: string; readonly flags: string }) =>
  analyse(new RegExp(pattern, flags), { maxReports: 1 }).reports.length > 0;

/**
 * True where an expression keeps a place to go back to for each repetition of a group: memory that grows with the text, of which Node has 64 MB before it
 * throws. Characters in a row are one step.
 */
function keepsPlaces({ pattern, flags }: { readonly pattern: string; readonly flags: string }): boolean {
  let keeps = false;
  visitRegExpAST(parseRegExpLiteral(new RegExp(pattern, flags)), {
    onQuantifierEnter({ max, element }) {
      const repeatsRow =
        element.type !== "CapturingGroup" &&
        (element.type !== "Group" ||
          (element.alternatives.length === 1 && element.alternatives.every(({ elements }) => elements.every(isRow))));
      if (max === Number.POSITIVE_INFINITY && !repeatsRow) keeps = true;
    },
  });
  return keeps;
}

/** True for so many characters, whatever they are. */
const isRow = (element: AST.Element): boolean =>
  element.type === "Quantifier"
    ? element.min === element.max && isRow(element.element)
    : ["Character", "CharacterSet", "CharacterClass"].includes(element.type);

const isProduct = (path: string) => /^packages\/[^/]+\/src\//.test(path) && !isTestFile(path) && !path.includes("/testing/");

function findExpressions(isNamed: typeof isSlow): readonly string[] {
  return readSourceFiles()
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, text }) =>
      [...expressionsIn(parseAst(text, { lang: "ts" }, path))].filter(isNamed).map(({ pattern, flags }) => `${path} /${pattern}/${flags}`),
    );
}

const fileOf = (found: string) => found.split(" ", 1)[0] as string;

test.each([
  ["takes more time than the text is long (R-TM-1)", isSlow, bounded],
  ["keeps a place for each repetition of a group (R-TM-1)", keepsPlaces, shortTexts],
] as const)("no expression over a text of unknown length %s", (_, isNamed, known) => {
  const found = findExpressions(isNamed);
  expect(found.filter((each) => !known.has(fileOf(each)))).toEqual([]);
  expect(new Set(found.map(fileOf))).toEqual(new Set(known.keys()));
});

test.each([/\/+$/, /^(?:[a-z]+[\w-]*\.)+[a-z]{2,}$/, /^\s*(.+?)\s*$/])("%s would be named", ({ source, flags }) => {
  expect(isSlow({ pattern: source, flags })).toBe(true);
});

test.each([/"(?:[^"\\]|\\.)*"/, /^(a|b)+$/])("%s would be named for its places", ({ source, flags }) => {
  expect(keepsPlaces({ pattern: source, flags })).toBe(true);
});

test.each([/[^"]*"/, /(?:ab)+/])("%s keeps no places", ({ source, flags }) => {
  expect(keepsPlaces({ pattern: source, flags })).toBe(false);
});
