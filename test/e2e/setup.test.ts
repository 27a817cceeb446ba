import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { root } from "../architecture/source-files.ts";

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
let place: string;

/**
 * A workspace with one package for running and one for development, an npm that only writes down what it was asked, and a system that has all
 * programs.
 */
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), "toolwright-setup-"));
  await mkdir(join(place, "scripts"));
  await copyFile(join(root, "scripts/setup.mjs"), join(place, "scripts/setup.mjs"));
  await writeFile(
    join(place, "npm.mjs"),
    `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(join(place, "asked"))}, process.argv.slice(2).join(" ") + "\\n");`,
  );
  await writeLock("package-lock.json", {
    "node_modules/one": { version: "1.0.0" },
    "node_modules/two": { version: "1.0.0", dev: true },
    "node_modules/other": { version: "1.0.0", optional: true },
  });
  await mkdir(bin());
  for (const name of ["bwrap", "rg", "chromium"]) await addProgram(name);
});
afterEach(() => rm(place, { recursive: true, force: true }));

const bin = (...names: string[]) => join(place, "bin", ...names);

async function addProgram(name: string, script = ""): Promise<void> {
  await writeFile(bin(name), `#!/bin/sh\n${script}\n`);
  await chmod(bin(name), 0o755);
}

const writeLock = (name: string, packages: object) => writeFile(join(place, name), JSON.stringify({ packages: { "": {}, ...packages } }));

async function install(versions: Readonly<Record<string, string>>): Promise<void> {
  for (const name of Object.keys(versions)) await mkdir(join(place, "node_modules", name), { recursive: true });
  const packages = Object.fromEntries(Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version }]));
  await writeLock("node_modules/.package-lock.json", packages);
}

async function setUp(...args: string[]): Promise<{ asked: string; said: string }> {
  const env = { ...process.env, PATH: bin(), npm_execpath: join(place, "npm.mjs") };
  const { stderr } = await run(process.execPath, [join(place, "scripts/setup.mjs"), ...args], { env });
  return { asked: await readFile(join(place, "asked"), "utf8").catch(() => ""), said: stderr };
}

test("with nothing installed it installs what running needs, and says so", async () => {
  const { asked, said } = await setUp();
  expect(asked).toMatch(/^install --no-save .*--omit=dev\n$/);
  expect(said).toContain("setup: installing what running needs (everything)");
});

test.each<[string, Record<string, string>, string[], RegExp]>([
  ["everything is there", { one: "1.0.0", two: "1.0.0" }, ["--test"], /^$/],
  ["what running needs is there", { one: "1.0.0" }, [], /^$/],
  ["only what running needs is there, and testing is wanted", { one: "1.0.0" }, ["--test"], /--include=dev/],
  ["a version is not the locked one", { one: "0.9.0", two: "1.0.0" }, [], /--omit=dev/],
])("when %s npm is asked accordingly", async (_, versions, args, expected) => {
  await install(versions);
  expect((await setUp(...args)).asked).toMatch(expected);
});

test("a package whose folder is gone is installed again", async () => {
  await install({ one: "1.0.0" });
  await rm(join(place, "node_modules/one"), { recursive: true });
  expect((await setUp()).asked).not.toBe("");
});

test("a failed install ends with the command to run by hand", async () => {
  await writeFile(join(place, "npm.mjs"), "process.exit(3);");
  await expect(setUp()).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/`npm install .*` failed\. .* run it by hand/) });
});

describe("the browser of the tests", () => {
  const command = "apt-get install -y --no-install-recommends chromium";
  const askApt = () => readFile(join(place, "apt"), "utf8").catch(() => "");
  beforeEach(() => rm(bin("chromium")));

  test("is wanted for testing alone, and without it is said what is lost", async () => {
    expect((await setUp()).said).not.toContain("chromium");
    const { said } = await setUp("--test");
    expect(said).toContain("setup: chromium is missing: the browser tests are skipped.");
    expect(said).toContain("install chromium with this system's package manager");
  });

  test.each(["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])("may be called %s", async (name) => {
    await addProgram(name);
    expect((await setUp("--test")).said).not.toContain("chromium");
  });

  test.runIf(isRoot)("is installed by root, and its failure keeps no other program away and ends nothing", async () => {
    await rm(bin("rg"));
    await addProgram("apt-get", `echo "$*" >> ${join(place, "apt")}; case "$*" in *chromium) exit 100;; esac`);
    const { said } = await setUp("--test");
    expect(await askApt()).toMatch(/install .*ripgrep\n.*install .*chromium\n.*update\n.*install .*chromium\n$/);
    expect(said).toContain(`that failed, and everything else goes on without. To try again: apt-get update && ${command}`);
  });

  test.skipIf(isRoot)("is named to everybody else, with the command", async () => {
    await addProgram("apt-get", `echo "$*" >> ${join(place, "apt")}`);
    expect((await setUp("--test")).said).toContain(`setup: to have it, run: sudo ${command}`);
    expect(await askApt()).toBe("");
  });
});
