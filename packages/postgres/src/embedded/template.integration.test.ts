import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chunkVectors, memoryVectors } from "../vectors/vector-source.ts";
import { createDataFolder, keepTemplate, nameTemplate } from "./template.ts";

let root: string;
let cache: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "toolwright-template-"));
  cache = join(root, "cache");
  const long = new Date(Date.now() - 8 * 24 * 60 * 60 * 1000);
  const old = ["a".repeat(32), `${"b".repeat(32)}.123`].map((name) => `embedded-${name}`);
  for (const name of [...old, `embedded-${"c".repeat(32)}`, "embedded-of-somebody", "compiled"]) {
    await mkdir(join(cache, name), { recursive: true });
    await writeFile(join(cache, name, "PG_VERSION"), "17");
    if (!name.includes("ccc")) await utimes(join(cache, name), long, long);
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

test("making the template of a version removes those that are a week old, and nothing else of the cache", async () => {
  const template = await keepTemplate(cache);
  expect((await readdir(cache)).sort()).toEqual(
    [basename(template), `embedded-${"c".repeat(32)}`, "embedded-of-somebody", "compiled"].sort(),
  );
});

test("a template that cannot be copied is done without", async () => {
  const template = await keepTemplate(cache);
  execFileSync("mkfifo", [join(template, "base/pipe")]);
  await createDataFolder(join(root, "data"), { cache });
  expect(await readdir(join(root, "data"))).toContain("PG_VERSION");
  expect(await readdir(join(root, "data/base"))).not.toContain("pipe");
});

test("another set of tables for vectors is another template, and the same one has the same name", () => {
  expect(nameTemplate([memoryVectors, chunkVectors])).toBe(nameTemplate());
  expect(nameTemplate([memoryVectors])).not.toBe(nameTemplate());
  expect(nameTemplate([memoryVectors, { ...chunkVectors, idType: "text" }])).not.toBe(nameTemplate());
});
