import { existsSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { isAbandoned, makeRunFolder, removeRunFolder } from "./run-folder.ts";

const ownFolder = () => {
  const folder = makeRunFolder();
  removeRunFolder(folder);
  return basename(folder);
};

test("a folder of a process that lives stays, one of its number with another start goes when the next is made", () => {
  const own = ownFolder();
  const [, pid, startedAt, space] = /-(\d+)-(\d+)-(\d+)-\w{6}$/.exec(own) as unknown as string[];
  expect(isAbandoned(own)).toBe(false);
  const abandoned = join(tmpdir(), `toolwright-browser-${pid}-${Number(startedAt) - 1}-${space}-abcdef`);
  mkdirSync(abandoned);
  ownFolder();
  expect(existsSync(abandoned)).toBe(false);
  expect(isAbandoned(`toolwright-browser-999999999-1-${space}-abcdef`)).toBe(true);
});

test.each([
  ["of another space of process ids", "toolwright-browser-999999999-1-1-abcdef"],
  ["without a start", "toolwright-browser-999999999-abcdef"],
  ["of something else", "toolwright-browser-test-abcdef"],
  ["whose name only begins so", "toolwright-browserx-999999999-1-1-abcdef"],
])("a folder %s is left alone", (_what, name) => expect(isAbandoned(name)).toBe(false));
