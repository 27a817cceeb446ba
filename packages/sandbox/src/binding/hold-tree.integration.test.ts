import { chmodSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fingerprintCommand } from "../exec/fingerprint-command.ts";
import { holdTree, type TreeOptions } from "./hold-tree.ts";
import { FileMarker } from "./mark-entry.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "toolwright-tree-")));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (path: string) => join(root, path);
function put(path: string, text = path) {
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
}
const hold = (path: string, more: Partial<TreeOptions> = {}) =>
  holdTree(at(path), { root, files: new FileMarker(), budget: { entries: 100, names: 100 }, namesSuffice: false, ...more });

test("beyond the entries that are looked at there is none, unless names are enough", async () => {
  for (let index = 0; index < 10; index++) put(`tree/f${index}`);
  const budget = () => ({ entries: 5, names: 100 });
  expect(await hold("tree", { budget: budget() })).toBeUndefined();
  const names = await hold("tree", { budget: budget(), namesSuffice: true });
  expect([...(names ?? [])].map(([name, mark]) => `${name} ${mark === "file"}`).sort()[9]).toBe("f9 true");
  expect(await hold("tree", { budget: { entries: 5, names: 8 }, namesSuffice: true })).toBeUndefined();
});

test("what package managers put in place uses up nothing of what the rest needs, and counts by names beyond", async () => {
  for (let index = 0; index < 10; index++) put(`tree/node_modules/p${index}/index.js`);
  put("tree/src/app.js");
  const before = await hold("tree", { budget: { entries: 4, names: 100 } });
  put("tree/src/app.js", "another");
  const after = await hold("tree", { budget: { entries: 4, names: 100 } });
  expect(before?.get("src/app.js")).not.toBe(after?.get("src/app.js"));
  expect(after?.get("node_modules/p9/index.js")).toBe("file");
});

test("caches below node_modules, git's own files and the content of logs make no difference", async () => {
  for (const path of ["tree/node_modules/.vite/x", "tree/.git/index", "tree/a.log"]) put(path);
  const before = await hold("tree");
  for (const path of ["tree/node_modules/.vite/x", "tree/node_modules/.vite/y", "tree/.git/index", "tree/a.log"]) put(path, "another");
  expect(await hold("tree")).toEqual(before);
});

test("a folder that cannot be read and one that is gone hold nothing, and do no harm", async () => {
  put("tree/secret/a");
  chmodSync(at("tree/secret"), 0o000);
  expect((await hold("tree"))?.has("secret")).toBe(true);
  chmodSync(at("tree/secret"), 0o700);
  expect(await hold("missing")).toEqual(new Map());
});

const names = fc.constantFrom("a", "b", "c");
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
type Kind = "file" | "folder" | "link";
const entries = fc.array(fc.tuple(paths, fc.constantFrom<Kind>("file", "folder", "link"), fc.constantFrom("x", "y")), { maxLength: 8 });

function make(path: string, kind: Kind, text: string): boolean {
  try {
    mkdirSync(dirname(at(path)), { recursive: true });
    if (lookAt(path)) return false;
    if (kind === "file") writeFileSync(at(path), text);
    else if (kind === "folder") mkdirSync(at(path));
    else symlinkSync(text, at(path));
    return true;
  } catch {
    return false;
  }
}

function lookAt(path: string) {
  try {
    return lstatSync(at(path));
  } catch {
    return undefined;
  }
}

function change(path: string, how: string): boolean {
  const entry = lookAt(path);
  if (how === "add") return !entry && make(path, "file", "new");
  if (!entry) return false;
  if (how === "remove") rmSync(at(path), { recursive: true });
  else if (how === "rename") renameSync(at(path), at(`${path}-renamed`));
  else if (how === "link") {
    rmSync(at(path), { recursive: true });
    symlinkSync("elsewhere", at(path));
  } else if (entry.isSymbolicLink()) return false;
  else if (how === "chmod") chmodSync(at(path), (entry.mode & 0o777) ^ 0o010);
  else if (entry.isFile()) writeFileSync(at(path), "edited");
  else return false;
  return true;
}

test("whatever tree is copied: any change below it is another fingerprint, and none is the same (R-AP-12)", async () => {
  const changes = fc.constantFrom("add", "remove", "rename", "link", "chmod", "edit");
  await fc.assert(
    fc.asyncProperty(entries, paths, changes, async (made, path, how) => {
      rmSync(at("tree"), { recursive: true, force: true });
      mkdirSync(at("tree"));
      for (const [entry, kind, text] of made) make(`tree/${entry}`, kind, text);
      const print = async () => (await fingerprintCommand(() => root, { command: "cp -r tree out", workdir: null })).digest;
      const before = await print();
      expect(await print()).toBe(before);
      if (change(`tree/${path}`, how)) expect(await print()).not.toBe(before);
    }),
    { numRuns: 300 },
  );
});
