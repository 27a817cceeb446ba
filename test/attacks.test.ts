import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";

const folder = join(root, "test", "attacks");
const files = readdirSync(folder).filter((name) => name.endsWith(".attack.ts"));
const rows = readFileSync(join(folder, "README.md"), "utf8")
  .split("\n")
  .filter((line) => /^\| `[^`]+\.attack\.ts`/.test(line))
  .map((line) => line.split(" | ").map((cell) => cell.replace(/^\| | \|$/g, "").trim()))
  .map(([file = "", attack = "", places = "", neighbours = ""]) => ({ file: file.replaceAll("`", ""), attack, places, neighbours }));

test("the table of attacks has one row for each file", () => {
  expect(rows.map(({ file }) => file).sort()).toEqual([...files].sort());
});

describe.each(rows)("$file", ({ attack, places, neighbours }) => {
  test("names its class, its neighbours and places that exist", () => {
    const paths = [...places.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect([attack, neighbours].filter((text) => text.length < 20)).toEqual([]);
  });
});
