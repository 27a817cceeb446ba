import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Files } from "@toolwright/engine";
import { createRandomIds } from "@toolwright/engine/ports";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createCallSite } from "../testing/call-site.ts";
import { filesCapability } from "./files-capability.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "tw-sweep-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const files = () => filesCapability({ workspaceOf: () => root }).open("write", createCallSite()) as Files;
const temporary = () => `.${createRandomIds().next("toolwright")}.tmp`;
const leave = (name: string, minutes: number) => {
  writeFileSync(join(root, name), "half");
  const then = Date.now() / 1000 - minutes * 60;
  utimesSync(join(root, name), then, then);
};

test("what a killed write left is swept by the next write in its folder, once it is old", async () => {
  mkdirSync(join(root, "sub"));
  const [old, recent, elsewhere] = [temporary(), temporary(), join("sub", temporary())];
  leave(old, 11);
  leave(recent, 9);
  leave(elsewhere, 11);
  await files().write("a.txt", "x");
  expect(readdirSync(root).sort()).toEqual([recent, "a.txt", "sub"].sort());
  expect(readdirSync(join(root, "sub"))).toHaveLength(1);
  await files().write("sub/b.txt", "x");
  expect(readdirSync(join(root, "sub"))).toEqual(["b.txt"]);
});

test.each([
  ["another ending", ".toolwright_aaaaaaaaaaaaaaaaaaaaaa.tmp.txt"],
  ["another beginning", "x.toolwright_aaaaaaaaaaaaaaaaaaaaaa.tmp"],
  ["a short id", ".toolwright_mine.tmp"],
  ["another program's", ".file.tmp"],
])("what is not ours stays: %s", async (_, name) => {
  leave(name, 10_000);
  await files().write("a.txt", "x");
  expect(readdirSync(root)).toContain(name);
});

test("a link or a folder of that name stays", async () => {
  const [link, folder] = [temporary(), temporary()];
  leave("target.txt", 10_000);
  symlinkSync("target.txt", join(root, link));
  mkdirSync(join(root, folder));
  utimesSync(join(root, folder), 1, 1);
  await files().write("a.txt", "x");
  expect(readdirSync(root)).toEqual(expect.arrayContaining([link, folder, "target.txt"]));
});
