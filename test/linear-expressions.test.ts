import { parseAst } from "rolldown/parseAst";
import { analyse } from "scslre";
import { expect, test } from "vitest";
import { isTestFile, readSourceFiles } from "./architecture/source-files.ts";

/** Expressions that may take the square of their text, since its length is bounded or nobody waits for it. */
const bounded = new Map([
  ["packages/agents/src/models/demo.ts", "the model of the demonstration"],
  ["packages/cli/src/output/money.ts", "a number"],
  ["packages/postgres/src/migrate/read-migrations.ts", "the package's own files"],
  ["packages/server/src/policy-file/read-policy-text.ts", "1,000 characters at most"],
  ["packages/tools/src/documents/parse/read-markdown.ts", "runs in the thread that parses, with a deadline"],
  ["packages/tools/src/documents/parse/read-notebook.ts", "runs in the thread that parses, with a deadline"],
  ["packages/tools/src/documents/parse/selection.ts", "500 characters at most"],
  ["packages/tools/src/net/media-type.ts", "1,024 bytes of a page"],
]);

/** The expressions of a file that are written out; those that are put together from text are small and few. */
function* expressionsIn(node: unknown): Generator<{ readonly pattern: string; readonly flags: string }> {
  if (typeof node !== "object" || node === null) return;
  if ("regex" in node && typeof node.regex === "object" && node.regex !== null) yield node.regex as { pattern: string; flags: string };
  for (const child of Object.values(node)) yield* expressionsIn(child);
}

const isSlow = ({ pattern, flags }: { readonly pattern: string; readonly flags: string }) =>
  analyse(new RegExp(pattern, flags), { maxReports: 1 }).reports.length > 0;

const isProduct = (path: string) => /^packages\/[^/]+\/src\//.test(path) && !isTestFile(path) && !path.includes("/testing/");

test("no expression over a text of unknown length takes more time than the text is long (R-TM-1)", () => {
  const slow: string[] = [];
  for (const { path, text } of readSourceFiles().filter((file) => isProduct(file.path)))
    for (const expression of expressionsIn(parseAst(text, { lang: "ts" }, path)))
      if (isSlow(expression)) slow.push(`${path} /${expression.pattern}/${expression.flags}`);
  expect(slow.filter((each) => !bounded.has(each.split(" ", 1)[0]!))).toEqual([]);
  expect(new Set(slow.map((each) => each.split(" ", 1)[0]))).toEqual(new Set(bounded.keys()));
});

test.each([/\/+$/, /^(?:[a-z]+[\w-]*\.)+[a-z]{2,}$/, /^\s*(.+?)\s*$/])("%s would be named", ({ source, flags }) => {
  expect(isSlow({ pattern: source, flags })).toBe(true);
});
