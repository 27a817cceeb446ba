import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";

const source = join(import.meta.dirname, "..");
const read = (file: string) => readFileSync(join(source, file), "utf8");

/** By file of styles, the names that its importers use; "*" where one is computed. */
const used = new Map<string, string[]>();
for (const file of globSync("**/*.{ts,tsx}", { cwd: source })) {
  const text = read(file);
  for (const [, name = "", path = ""] of text.matchAll(/import (\w+) from "(\.[^"]+\.module\.css)"/g)) {
    const names = [...text.matchAll(new RegExp(`\\b${name}(?:\\.(\\w+)|\\[)`, "g"))].map(([, used = "*"]) => used);
    const styles = join(dirname(file), path);
    used.set(styles, [...(used.get(styles) ?? []), ...names]);
  }
}

it.each(globSync("**/*.module.css", { cwd: source }))("%s has no class that no element has", (styles) => {
  const names = used.get(styles) ?? [];
  const written = [...read(styles).matchAll(/\.([A-Za-z_]\w*)(?=[^{}]*\{)/g)].map(([, name = ""]) => name);
  expect(written).not.toEqual([]);
  expect(names.includes("*") ? [] : written.filter((name) => !names.includes(name))).toEqual([]);
});
