import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFolderSource } from "./folder-source.ts";

let folder: string;
const stops: (() => void)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolwright-folder-"));
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await rm(folder, { recursive: true, force: true });
});

const put = (name: string, text: string) => writeFile(join(folder, name), text);
const defaultOf = async (source: ReturnType<typeof createFolderSource>, file: string) => (await source.load(file)).default;

test("only tool files are listed, those of subfolders too, in a stable order", async () => {
  await mkdir(join(folder, "deep", "node_modules"), { recursive: true });
  for (const name of ["b.tool.ts", "a.tool.mjs", "deep/c.tool.js", "helper.ts", "note.md", "deep/node_modules/d.tool.ts"])
    await put(name, "export default 1;");
  expect(await createFolderSource(folder).list()).toEqual(["a.tool.mjs", "b.tool.ts", "deep/c.tool.js"]);
});

test("a missing folder has no tools", async () => {
  expect(await createFolderSource(join(folder, "none")).list()).toEqual([]);
});

test("a file outside any package may import zod and the engine", async () => {
  await put(
    "a.tool.ts",
    'import { defineTool, isToolDefinition } from "@toolwright/engine";\nimport { z } from "zod";\nexport default [typeof defineTool, typeof z.object, isToolDefinition(1)];',
  );
  expect(await defaultOf(createFolderSource(folder), "a.tool.ts")).toEqual(["function", "function", false]);
});

test("a changed file is imported afresh, and an unchanged one is not", async () => {
  const source = createFolderSource(folder);
  await put("a.tool.ts", "export default {};");
  const first = await defaultOf(source, "a.tool.ts");
  expect(await defaultOf(source, "a.tool.ts")).toBe(first);
  await put("a.tool.ts", "const changed: number = 2; export default changed;");
  expect(await defaultOf(source, "a.tool.ts")).toBe(2);
});

test("a change of an imported file, however deep, is seen", async () => {
  const source = createFolderSource(folder);
  await put("a.tool.ts", 'import { b } from "./b.ts"; export default b;');
  await put("b.ts", 'import { c } from "./c.ts"; export const b = c;');
  await put("c.ts", "export const c: string = 'old';");
  expect(await defaultOf(source, "a.tool.ts")).toBe("old");
  await put("c.ts", "export const c: string = 'newer';");
  expect(await defaultOf(source, "a.tool.ts")).toBe("newer");
});

test("a broken file rejects with its own error and is tried again", async () => {
  const source = createFolderSource(folder);
  await put("a.tool.ts", 'import "./missing.ts"; export default 1;');
  await expect(source.load("a.tool.ts")).rejects.toThrow(/Cannot find module '.*missing\.ts' imported from .*a\.tool\.ts$/);
  await put("missing.ts", "");
  expect(await defaultOf(source, "a.tool.ts")).toBe(1);
});

test.each<[string, () => Promise<void>]>([
  ["a new file", () => put("new.tool.ts", "export default 1;")],
  [
    "a file that replaces another, as editors do it",
    async () => {
      await put("draft", "export default 2;");
      await rename(join(folder, "draft"), join(folder, "old.tool.ts"));
    },
  ],
  ["a file in a subfolder", () => put("sub/deep.tool.ts", "export default 1;")],
  ["a removed file", () => rm(join(folder, "old.tool.ts"))],
])("%s calls the watcher back", async (_, change) => {
  await mkdir(join(folder, "sub"));
  await put("old.tool.ts", "export default 1;");
  const called = watchCalls(folder);
  await change();
  await vi.waitFor(() => expect(called.count).toBeGreaterThan(0), 5000);
});

test("a folder that comes later is watched", async () => {
  const later = join(folder, "one", "two");
  const called = watchCalls(later);
  await mkdir(later, { recursive: true });
  await vi.waitFor(() => expect(called.count).toBeGreaterThan(0), 5000);
  const before = called.count;
  await vi.waitFor(async () => {
    await writeFile(join(later, "a.tool.ts"), "export default 1;");
    expect(called.count).toBeGreaterThan(before);
  }, 5000);
});

test("a burst of changes calls back once", async () => {
  const called = watchCalls(folder);
  // At once: on a busy machine fifty awaited writes take longer than a burst.
  for (let index = 0; index < 50; index++) writeFileSync(join(folder, `${index}.tool.ts`), "export default 1;");
  await vi.waitFor(() => expect(called.count).toBe(1), 5000);
});

function watchCalls(watched: string): { count: number } {
  const called = { count: 0 };
  stops.push(createFolderSource(watched).watch(() => called.count++));
  return called;
}
