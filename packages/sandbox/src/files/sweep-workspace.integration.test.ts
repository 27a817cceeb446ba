import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createRandomIds } from "@toolwright/engine/ports";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sweepAtStart, sweepWorkspace } from "./sweep-workspace.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tw-sweep-all-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const temporary = () => `.${createRandomIds().next("toolwright")}.tmp`;
const leave = (folder: string, name: string, seconds: number) => {
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, name), "half");
  const then = Date.now() / 1000 - seconds;
  utimesSync(join(root, folder, name), then, then);
};

test("what killed writes left is swept from every folder, and nothing else is touched", async () => {
  const recent = temporary();
  for (const folder of ["workspace", "workspace/a/b", "elsewhere", "workspace/.git"]) leave(folder, temporary(), 120);
  leave("workspace/a", recent, 5);
  leave("workspace/a", ".toolwright_mine.tmp", 120);
  mkdirSync(join(root, "workspace/a", temporary()));
  symlinkSync(join(root, "elsewhere"), join(root, "workspace/link"));
  expect(await sweepWorkspace(join(root, "workspace"))).toEqual({ removed: 2, isComplete: true });
  expect(readdirSync(join(root, "workspace")).sort()).toEqual([".git", "a", "link"]);
  expect(readdirSync(join(root, "workspace/a"))).toHaveLength(4);
  expect(readdirSync(join(root, "workspace/a/b"))).toEqual([]);
  expect(readdirSync(join(root, "elsewhere"))).toHaveLength(1);
  expect(readdirSync(join(root, "workspace/.git"))).toHaveLength(1);
});

test.skipIf(process.getuid?.() === 0)("a folder that may be entered but not listed ends no sweep", async () => {
  leave("workspace/closed", temporary(), 120);
  leave("workspace/open", temporary(), 120);
  chmodSync(join(root, "workspace/closed"), 0o111);
  expect(await sweepWorkspace(join(root, "workspace"))).toEqual({ removed: 1, isComplete: true });
  chmodSync(join(root, "workspace/closed"), 0o755);
});

test("a workspace with more entries than are looked at is told", async () => {
  for (const folder of ["workspace/a", "workspace/b"]) leave(folder, temporary(), 120);
  expect(await sweepWorkspace(join(root, "workspace"), { most: 2 })).toEqual({ removed: 0, isComplete: false });
});

test("a start sweeps all workspaces and tells of it; one that is not there is as one without anything", async () => {
  for (const folder of ["one", "two/tenant"]) leave(folder, temporary(), 120);
  const told: [string, number][] = [];
  const stop = sweepAtStart(
    ["one", "two", "none"].map((name) => join(root, name)),
    (swept, { removed }) => told.push([basename(swept), removed]),
  );
  await expect
    .poll(() => told)
    .toEqual([
      ["one", 1],
      ["two", 1],
    ]);
  await stop();
  expect([...readdirSync(join(root, "one")), ...readdirSync(join(root, "two/tenant"))]).toEqual([]);
});
