import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";
import { quotedSource } from "./quoted-source.ts";

const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root }).sort();
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Fences that name a file, or a region of one: "```ts examples/story/main.ts#region". */
const quotes = pages.flatMap((page) =>
  Array.from(read(page).matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm), ([, source = "", text = ""]) => ({ page, source, text })),
);

test("pages quote files that run", () => {
  expect(quotes.length).toBeGreaterThan(5);
});

test.each(quotes)("$page quotes $source as it is", ({ source, text }) => {
  expect(text.trimEnd()).toBe(quotedSource(source));
});

const links = pages.flatMap((page) =>
  Array.from(read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g), ([, target = ""]) => ({ page, target })),
);

test.each(links)("$page links to $target, which is there", ({ page, target }) => {
  expect(existsSync(join(root, dirname(page), target))).toBe(true);
});

test("every dependency of every package has its line", () => {
  const manifests = globSync(["package.json", "web/package.json", "packages/*/package.json"], { cwd: root });
  const names = manifests.flatMap((path) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(path)) as Record<string, Record<string, string>>;
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  const page = read("docs/dependencies.md");
  const ours = /^(@toolwright\/|toolwright$)/;
  const missing = names.filter((name) => !ours.test(name) && !page.includes(name.replace(/^@modelcontextprotocol/, "")));
  expect(missing).toEqual([]);
});

test("every version is exact (R-SC-1)", () => {
  const manifests = globSync(
    ["package.json", "web/package.json", "packages/*/package.json", "examples/package.json", "examples/*/package.json"],
    {
      cwd: root,
    },
  );
  const loose = manifests.flatMap((path) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(path)) as Record<string, Record<string, string>>;
    return Object.entries({ ...dependencies, ...devDependencies }).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version));
  });
  expect(loose).toEqual([]);
});

test("every variable that the product reads is in the help of the command line and in the guide", () => {
  const sources = globSync("packages/{cli,server}/src/**/*.ts", { cwd: root }).filter((path) => !path.endsWith(".test.ts"));
  const namesIn = (text: string) => new Set(text.match(/TOOLWRIGHT_[A-Z_]*[A-Z]|DATABASE_URL/g));
  const inCode = namesIn(
    sources
      .filter((path) => !path.endsWith("/program.ts"))
      .map(read)
      .join("\n"),
  );
  expect(inCode.size).toBeGreaterThan(15);
  expect([...namesIn(read("packages/cli/src/program.ts"))].sort()).toEqual([...inCode].sort());
  const guide = namesIn(pages.map(read).join("\n"));
  expect([...inCode].filter((name) => !guide.has(name))).toEqual([]);
});
