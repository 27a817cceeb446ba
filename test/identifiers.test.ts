import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";

/** Identifiers of standards and advisories, which their publishers explain. */
const ofOthers = /^(UTF|SHA|CVE|SEP|RFC|PDF|ISO|SP)-/;

/** What stands for a sentence that is written elsewhere: R-AB-1, D-3, and (D3) or "pain 3" in names of tests and in comments. */
function findIdentifiers(text: string): readonly string[] {
  const dashed = text.match(/\b[A-Z]{1,3}-(?:[A-Z]{1,3}-)?\d+\b/g) ?? [];
  const short = text.match(/\bpain \d+\b|\((?:[A-Z]\d{1,2}(?:-[A-Z]\d{1,2})?(?:, )?)+\)|(?<=["`(])[A-Z]\d{1,2}:? (?=\w)|\(#\d+\)/g) ?? [];
  return [...dashed.filter((id) => !ofOthers.test(id)), ...short];
}

test("packages have no identifier that docs/reference does not explain", () => {
  const pages = globSync("docs/reference/*.md", { cwd: root }).map((path) => readFileSync(join(root, path), "utf8"));
  const explained = new Set(pages.join("\n").match(/(?<=^\| )R-[A-Z]{2}-\d+/gm));
  expect(explained.size).toBeGreaterThan(80);
  const files = globSync("packages/*/{src,migrations,bin}/**/*.{ts,js,sql}", { cwd: root });
  const unexplained = files.flatMap((file) =>
    findIdentifiers(readFileSync(join(root, file), "utf8"))
      .filter((id) => !explained.has(id))
      .map((id) => `${file}: ${id}`),
  );
  expect(files.length).toBeGreaterThan(1000);
  expect(unexplained).toEqual([]);
});

test.each([
  ["R-AB-1", "it holds (R-AB-1)"],
  ["D-3", "/** A rule (D-3). */"],
  ["(X4, X5)", 'test("it cuts (X4, X5)")'],
  ["(V1-V9)", "all of them (V1-V9)"],
  ["X1 ", '"X1 a line runs"'],
  ["pain 21", "once (R-AU-4, pain 21)"],
  ["(#13)", "as asked for (#13)"],
])("%s is seen", (id, text) => {
  expect(findIdentifiers(text)).toContain(id);
});

test.each(["UTF-8", "SHA-256 of the text", "CVE-2024-1234", "V8's format", "Standard Schema V1", "[A-Z0-9]"])(
  "%s is no such identifier",
  (text) => {
    expect(findIdentifiers(text)).toEqual([]);
  },
);
