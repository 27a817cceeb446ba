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
    `import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
    const [verb] = process.argv.slice(2);
    appendFileSync(${JSON.stringify(join(place, "asked"))}, process.argv.slice(2).join(" ") + "\\n");
    const refusal = ${JSON.stringify(join(place, "refusal"))} + "-" + verb;
    if (existsSync(refusal)) { console.error(readFileSync(refusal, "utf8")); process.exit(1); }
    mkdirSync(${JSON.stringify(join(place, "node_modules"))}, { recursive: true });`,
  );
  await writeFile(join(place, "package.json"), JSON.stringify({ allowScripts: { one: true, two: false } }));
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
  const packages = Object.fromEntries(
    Object.entries(versions).map(([name, version]) => [`node_modules/${name}`, { version, resolved: "https://registry.example" }]),
  );
  await writeLock("node_modules/.package-lock.json", packages);
}

async function setUp(...args: string[]): Promise<{ asked: string; said: string }> {
  const env = { ...process.env, PATH: bin(), npm_execpath: join(place, "npm.mjs") };
  const { stderr } = await run(process.execPath, [join(place, "scripts/setup.mjs"), ...args], { env });
  return { asked: await readFile(join(place, "asked"), "utf8").catch(() => ""), said: stderr };
}

const refuse = (verb: string, words: string) => writeFile(join(place, `refusal-${verb}`), words);

test("with nothing installed it installs what running needs, and says so", async () => {
  const { asked, said } = await setUp();
  expect(asked).toMatch(/^ci --ignore-scripts .*--omit=dev\n$/);
  expect(said).toContain("setup: installing what running needs by package-lock.json (everything)");
});

test("where the registry does not allow it, it says why, installs as near to the lock file as it can, and says what is different", async () => {
  const words = ["code EUSAGE", "", "`npm ci` can only install ...", "", "Missing: three@ from lock file", "Missing: four@ from lock file"];
  await refuse("ci", words.map((line) => `npm error ${line}`).join("\n"));
  const { asked, said } = await setUp();
  expect(asked).toMatch(/^ci --ignore-scripts .*\ninstall --no-save --ignore-scripts .*--omit=dev\n$/);
  expect(said).toContain("cannot follow package-lock.json with this registry: Missing: three@ from lock file, and 1 more. Installing with");
  expect(said).toContain("setup: not as package-lock.json has it: everything.");
});

describe("install scripts of packages", () => {
  const script = { hasInstallScript: true };
  const installed = (packages: object) => writeLock("node_modules/.package-lock.json", packages);
  const all = {
    "node_modules/one": { version: "1.0.0", bin: { one: "bin/one" }, ...script },
    "node_modules/two": { version: "1.0.0", ...script },
    "node_modules/three": { version: "1.0.0", ...script },
    "node_modules/deep/node_modules/one": { version: "2.0.0", ...script },
  };

  test("run for those that package.json lists, once, and for no others", async () => {
    await install({ one: "1.0.0" });
    await installed(all);
    await writeFile(join(place, "node_modules/.install-scripts.json"), "{}");
    const { asked, said } = await setUp();
    expect(asked).toMatch(/^rebuild one --ignore-scripts=false /);
    expect(asked.split("\n")).toHaveLength(2);
    expect(said).toContain("setup: running the install scripts of one, which package.json lists");
    expect((await setUp()).asked).toBe(asked);
  });

  test("run again for another content of the package", async () => {
    await install({ one: "1.0.0" });
    await installed(all);
    await writeFile(join(place, "node_modules/.install-scripts.json"), JSON.stringify({ "node_modules/one": "0.9.0" }));
    expect((await setUp()).asked).toMatch(/^rebuild one /);
  });

  test.each([
    { what: "does not run where npm itself has made its program", made: true, asks: /^$/ },
    { what: "runs where its program is missing and nothing says that it ran", made: false, asks: /^rebuild one / },
  ])("$what", async ({ made, asks }) => {
    await install({ one: "1.0.0" });
    await installed(all);
    await mkdir(join(place, "node_modules/one/bin"));
    if (made) await writeFile(join(place, "node_modules/one/bin/one"), "");
    expect((await setUp()).asked).toMatch(asks);
  });

  test("that fail are told, with the command to run by hand, and run the next time", async () => {
    await install({ one: "1.0.0" });
    await installed(all);
    await refuse("rebuild", "no network");
    for (let round = 0; round < 2; round++)
      await expect(setUp()).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/`npm rebuild one .*` failed\./),
      });
  });
});

test.each<[string, Record<string, string>, string[], RegExp]>([
  ["everything is there", { one: "1.0.0", two: "1.0.0" }, ["--test"], /^$/],
  ["what running needs is there", { one: "1.0.0" }, [], /^$/],
  ["only what running needs is there, and testing is wanted", { one: "1.0.0" }, ["--test"], /--include=dev/],
  ["npm's record says more than the lock file", { one: "1.0.0" }, [], /^$/],
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
