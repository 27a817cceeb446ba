import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { exportedNames } from "./architecture/exported-names.ts";
import { root } from "./architecture/source-files.ts";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Every import path that users have, with the file behind it. */
const entries = readdirSync(join(root, "packages")).flatMap((folder) => {
  const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Manifest;
  return Object.entries(manifest.exports).map(([path, targets]) => ({
    specifier: join(manifest.name, path),
    file: join(root, "packages", folder, targets["@toolwright/source"] ?? ""),
  }));
});

/** A name that comes or goes is a decision: `npx vitest run --project unit test/surface.test.ts -u` writes it down. */
test.each(entries)("$specifier exports what its list says", async ({ specifier, file }) => {
  const list = `${exportedNames(file).join("\n")}\n`;
  await expect(list).toMatchFileSnapshot(`surface/${specifier.replace(/^@/, "").replaceAll("/", "-")}.txt`);
});

/** Names that a reader of an entrance has to know: what else there is has an entrance of its own. */
test.each([
  { specifier: "@toolwright/engine", most: 120, counts: "names", isCounted: () => true },
  { specifier: "@toolwright/commands", most: 20, counts: "functions", isCounted: (name: string) => /^[a-z]\w*$/.test(name) },
])("$specifier has at most $most $counts", ({ specifier, most, isCounted }) => {
  const names = exportedNames(entries.find((entry) => entry.specifier === specifier)?.file ?? "");
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter(isCounted).length).toBeLessThanOrEqual(most);
});

test.each(entries)("the list of $specifier names every value that there is", async ({ specifier, file }) => {
  const values = Object.keys((await import(specifier)) as object).sort();
  expect(exportedNames(file).filter((name) => !name.startsWith("type "))).toEqual(values);
});
