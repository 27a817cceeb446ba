import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "./architecture/source-files.ts";

/** How many requirements each area has. */
const areas = {
  EX: 12,
  AP: 13,
  SB: 13,
  FS: 7,
  NW: 5,
  GT: 6,
  TN: 7,
  MC: 11,
  UI: 4,
  AU: 8,
  SC: 1,
  RE: 1,
  FC: 4,
  CR: 3,
  SE: 3,
  TM: 2,
  SH: 2,
  SM: 1,
  ST: 1,
  OA: 1,
};
const ids = Object.entries(areas).flatMap(([area, count]) => Array.from({ length: count }, (_, index) => `R-${area}-${index + 1}`));
/** Of parts that do not exist yet; whoever builds one takes its requirement off this list. */
const waiting = new Set(["R-MC-10"]);
/** Where tests are, with the suites that adapters run. */
const isTest = /\.(test|attack)\.ts$|^packages\/\w+\/src\/testing\/|^test\/architecture\/rules\.ts$/;

const page = readFileSync(join(root, "docs/reference/security.md"), "utf8");
const rows = Array.from(page.matchAll(/^\| (R-[A-Z]{2}-\d+) +\| (.+?) +\| (.+?) +\|$/gm), ([, id = "", words = "", held = ""]) => ({
  id,
  words,
  waits: held.startsWith("waits for "),
  tests: Array.from(held.matchAll(/`([^`]+)` "([^"]+)"/g), ([, path = "", name = ""]) => ({ path, name })),
}));
const byId = new Map(rows.map((row) => [row.id, row]));

test("the page has each of the 105 requirements once", () => {
  expect(ids).toHaveLength(105);
  expect(rows.map(({ id }) => id).sort()).toEqual([...ids].sort());
  expect(page.match(/\bR-[A-Z]{2}-\d+\b(?= +\|)/g)).toHaveLength(105);
});

describe.each(ids)("%s", (id) => {
  const row = byId.get(id);

  test(`says what it asks for, and ${waiting.has(id) ? "what it waits for" : "names a test"}`, () => {
    expect(row?.words.length ?? 0).toBeGreaterThan(25);
    expect({ waits: row?.waits, tests: (row?.tests.length ?? 0) > 0 }).toEqual({ waits: waiting.has(id), tests: !waiting.has(id) });
  });

  test.runIf(!waiting.has(id))("names tests that are there", () => {
    const problems = row?.tests.flatMap(({ path, name }) => problemOf(path, name) ?? []);
    expect(problems).toEqual([]);
  });
});

function problemOf(path: string, name: string): string | undefined {
  if (!isTest.test(path)) return `${path} is no file of tests`;
  const file = join(root, path);
  if (!existsSync(file)) return `${path} does not exist`;
  return readFileSync(file, "utf8").includes(name) ? undefined : `${path} has no test "${name}"`;
}
