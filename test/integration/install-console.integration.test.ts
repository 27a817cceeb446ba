import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

const module = pathToFileURL(join(import.meta.dirname, "../../web/install.ts")).href;
const install = `const { alone, installPackages } = await import(process.argv[1]); await alone(() => installPackages(process.argv[2]), process.argv[2]);`;
const run = (folder: string) => promisify(execFile)(process.execPath, ["--input-type=module", "-e", install, module, folder]);

let folder: string;
const packageFile = () => join(folder, "node_modules", "left", "package.json");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "toolwright-install-"));
  mkdirSync(join(folder, "left"));
  writeFileSync(join(folder, "left", "package.json"), '{ "name": "left", "version": "1.0.0" }');
  writeFileSync(join(folder, "package.json"), '{ "name": "web", "version": "1.0.0", "dependencies": { "left": "file:./left" } }');
  const packages = {
    "": { name: "web", version: "1.0.0", dependencies: { left: "file:./left" } },
    left: { version: "1.0.0" },
    "node_modules/left": { resolved: "left", link: true },
  };
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify({ name: "web", version: "1.0.0", lockfileVersion: 3, packages }));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("two processes that install at once install one after the other, and once", async () => {
  const said = await Promise.all([run(folder), run(folder)]);
  expect(said.map(({ stderr }) => stderr.includes("installing")).toSorted()).toEqual([false, true]);
  expect(existsSync(packageFile())).toBe(true);
  expect(existsSync(join(folder, ".building"))).toBe(false);
});

test("what is missing of an install is installed again, whatever the record says", async () => {
  await run(folder);
  expect((await run(folder)).stderr).toBe("");
  rmSync(join(folder, "node_modules", "left"), { recursive: true });
  expect((await run(folder)).stderr).toContain("installing");
  expect(existsSync(packageFile())).toBe(true);
});

test("an install that does not come to its end leaves no record of the one before", async () => {
  await run(folder);
  const files = ["package.json", "package-lock.json"].map((name) => join(folder, name));
  const before = files.map((file) => readFileSync(file, "utf8"));
  for (const file of files) writeFileSync(file, "{");
  await expect(run(folder)).rejects.toThrow("could not be installed");
  for (const [at, file] of files.entries()) writeFileSync(file, before[at] ?? "");
  expect((await run(folder)).stderr).toContain("installing");
  expect(existsSync(packageFile())).toBe(true);
});
